"""Pictures of results as HyperMapper 2's plotting commands make them."""
