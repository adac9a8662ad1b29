"""The reader of the C family: C, C++, CUDA, OpenCL C and HLS C."""
