"""HyperMapper 2.0's experiments at the paper's scale, on the FPGA model in place of the Spatial compiler."""
