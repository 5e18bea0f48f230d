"""How many Taylor coefficients Burgers' equation needs: u, u_t, u_x, u_xx, of which qres makes three."""

CHANNELS = 4
FLOWING = 3  # u, u_x, u_t - nu u_xx
