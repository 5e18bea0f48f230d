"""A program: `python _mat_reader.py FILE BYTES SECONDS` writes the numbers in a MAT file to standard output, as NPZ."""

import io
import sys
import warnings


def main(path: str, memory: int, seconds: int) -> None:
    """Read within limits; what is wrong with the file is the last line on standard error, and exit status 1."""
    import numpy as np
    import scipy.io

    try:
        import resource
    except ImportError:  # no such limits on Windows
        pass
    else:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    try:
        found = scipy.io.loadmat(path)
        numbers = {
            name: array
            for name, array in found.items()
            if not name.startswith("__") and np.asarray(array).dtype.kind in "fiubc"
        }
        packed = io.BytesIO()
        np.savez(packed, **numbers)
    except NotImplementedError:
        sys.exit("of MATLAB 7.3; write it with save(…, '-v7'), or as NetCDF")
    except MemoryError:
        sys.exit("it needs more memory than is free")
    except Exception as error:  # whatever a damaged file raises
        sys.exit(f"{type(error).__name__}: {error}")
    sys.stdout.buffer.write(packed.getbuffer())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
