"""What `make bench` measures, one file a part: `run(store, pace)` measures, `tables(store)` reads what is recorded."""
