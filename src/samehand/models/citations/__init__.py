"""Citations: raw strings, parses that may be wrong, and the papers behind them."""
