"""PyTorch's modules and functions as operators (pytorch.org/docs, version 2)."""

from __future__ import annotations

_CONV = "kernel_size=kernel stride padding dilation groups bias padding_mode-"
_NORM = "eps- momentum- affine! track_running_stats!"

LAYERS = {
    **dict.fromkeys(
        ("Conv1d", "Conv2d", "Conv3d"), f"Conv in_channels~channels out_channels=filters {_CONV} ; layout=first"
    ),
    **dict.fromkeys(
        ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"),
        "ConvTranspose in_channels~channels out_channels=filters kernel_size=kernel stride padding output_padding=extra"
        " groups bias dilation padding_mode- ; layout=first",
    ),
    **dict.fromkeys(
        ("MaxPool1d", "MaxPool2d", "MaxPool3d"),
        "MaxPool kernel_size=kernel stride=stride|kernel_size padding dilation return_indices- ceil_mode=ceil"
        " ; layout=first",
    ),
    **dict.fromkeys(
        ("AvgPool1d", "AvgPool2d", "AvgPool3d"),
        "AveragePool kernel_size=kernel stride=stride|kernel_size padding ceil_mode=ceil count_include_pad-"
        " ; layout=first",
    ),
    **dict.fromkeys(
        ("AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"),
        "AdaptiveAveragePool output_size=size ; layout=first",
    ),
    **dict.fromkeys(
        ("AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d"),
        "AdaptiveMaxPool output_size=size return_indices- ; layout=first",
    ),
    **dict.fromkeys(
        ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"),
        f"BatchNorm num_features~channels {_NORM} ; layout=first counter=True",
    ),
    **dict.fromkeys(
        ("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"),
        f"InstanceNorm num_features~channels {_NORM} ; layout=first",
    ),
    "GroupNorm": "GroupNorm num_groups=groups num_channels~channels eps- affine! ; layout=first",
    "LayerNorm": "LayerNorm normalized_shape! eps- elementwise_affine=scale bias=center",
    "RMSNorm": "RMSNorm normalized_shape! eps- elementwise_affine=scale",
    "LocalResponseNorm": "LocalResponseNorm size alpha- beta- k-",
    "Linear": "Dense in_features~last out_features=units bias",
    "LazyLinear": "Dense out_features=units bias",
    "Bilinear": "Bilinear in1_features~last in2_features- out_features=units bias",
    "Embedding": "Embedding num_embeddings=vocabulary embedding_dim=width padding_idx- max_norm-",
    "EmbeddingBag": "EmbeddingBag num_embeddings=vocabulary embedding_dim=width",
    **{
        name: f"{name} input_size~last hidden_size=units num_layers=layers bias! batch_first! dropout- bidirectional!"
        for name in ("RNN", "GRU")
    },
    "LSTM": "LSTM input_size~last hidden_size=units num_layers=layers bias! batch_first! dropout- bidirectional!"
    " proj_size=projection",
    "RNNCell": "RNNCell input_size~last hidden_size=units bias! nonlinearity-",
    "LSTMCell": "LSTMCell input_size~last hidden_size=units bias!",
    "GRUCell": "GRUCell input_size~last hidden_size=units bias!",
    "MultiheadAttention": "MultiHeadAttention embed_dim! num_heads=heads dropout- bias add_bias_kv=extra_bias"
    " add_zero_attn- kdim- vdim- batch_first!",
    "TransformerEncoderLayer": "TransformerEncoderLayer d_model~last nhead=heads dim_feedforward=hidden dropout-"
    " activation- layer_norm_eps- batch_first!",
    "TransformerDecoderLayer": "TransformerDecoderLayer d_model~last nhead=heads dim_feedforward=hidden dropout-"
    " activation- layer_norm_eps- batch_first!",
    "ReLU": "ReLU inplace!",
    "ReLU6": "ReLU6 inplace!",
    "LeakyReLU": "LeakyReLU negative_slope- inplace!",
    "PReLU": "PReLU num_parameters=count init-",
    "ELU": "ELU alpha- inplace!",
    "SELU": "SELU inplace!",
    "CELU": "CELU alpha- inplace!",
    "GELU": "GELU approximate-",
    "SiLU": "SiLU inplace!",
    "Mish": "Mish inplace!",
    "Sigmoid": "Sigmoid",
    "Hardsigmoid": "HardSigmoid inplace!",
    "Hardswish": "HardSwish inplace!",
    "Hardtanh": "HardTanh min_val- max_val- inplace!",
    "LogSigmoid": "LogSigmoid",
    "Tanh": "Tanh",
    "Softplus": "Softplus beta- threshold-",
    "Softsign": "Softsign",
    "Softmax": "Softmax dim-",
    "LogSoftmax": "LogSoftmax dim-",
    "GLU": "GLU dim=axis",
    **dict.fromkeys(("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout"), "Dropout p=rate inplace!"),
    "Flatten": "Flatten start_dim=axis end_dim-",
    "Unflatten": "Unflatten dim! unflattened_size!",
    "PixelShuffle": "DepthToSpace upscale_factor=block",
    "PixelUnshuffle": "SpaceToDepth downscale_factor=block",
    "ChannelShuffle": "ChannelShuffle groups",
    "Upsample": "Upsample size! scale_factor=scale mode align_corners- recompute_scale_factor- antialias-"
    " ; layout=first",
    "UpsamplingNearest2d": "Upsample size! scale_factor=scale ; layout=first",
    "UpsamplingBilinear2d": "Upsample size! scale_factor=scale ; layout=first mode=bilinear",
    "ZeroPad2d": "ZeroPadding padding! ; layout=first",
    "ConstantPad2d": "ZeroPadding padding! value- ; layout=first",
    **dict.fromkeys(("ReflectionPad2d", "ReplicationPad2d", "CircularPad2d"), "ZeroPadding padding! ; layout=first"),
    "Unfold": "Unfold kernel_size=kernel dilation padding stride",
    "Identity": "Identity",
}
# torch.NAME(x), torch.nn.functional.NAME(x), x.NAME(): one tensor in, the shape stays.
ELEMENTWISE = {
    "relu": "ReLU", "relu_": "ReLU", "relu6": "ReLU6", "leaky_relu": "LeakyReLU", "elu": "ELU", "selu": "SELU",
    "celu": "CELU", "gelu": "GELU", "silu": "SiLU", "mish": "Mish", "sigmoid": "Sigmoid", "tanh": "Tanh",
    "hardswish": "HardSwish", "hardsigmoid": "HardSigmoid", "hardtanh": "HardTanh", "softplus": "Softplus",
    "softsign": "Softsign", "logsigmoid": "LogSigmoid", "softmax": "Softmax", "log_softmax": "LogSoftmax",
    "dropout": "Dropout", "dropout2d": "Dropout", "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "abs": "Abs",
    "neg": "Negate",
    "erf": "Erf", "clamp": "Clip", "clip": "Clip", "contiguous": "Identity", "detach": "Identity", "clone": "Identity",
    "float": "Identity", "to": "Identity", "normalize": "UnitNorm", "cumsum": "CumSum", "pow": "Exp", "sin": "Exp",
    "cos": "Exp", "rsqrt": "Sqrt", "square": "Exp", "identity": "Identity",
    "roll": "Identity", "cast": "Identity", "stop_gradient": "Identity", "convert_to_tensor": "Identity",
    "clip_by_value": "Clip", "sign": "Abs", "log2": "Log", "log1p": "Log", "atan": "Exp",
    "tril": "Scale", "triu": "Scale", "floor": "Abs", "round": "Abs", "reciprocal": "Exp",
    "randn_like": "Scale", "rand_like": "Scale", "zeros_like": "Scale", "ones_like": "Scale",
}  # fmt: skip
# torch.nn.functional.NAME(x, ...) with the arguments of the module of that name.
FUNCTIONAL = {
    "max_pool1d": "MaxPool1d", "max_pool2d": "MaxPool2d", "max_pool3d": "MaxPool3d", "avg_pool1d": "AvgPool1d",
    "avg_pool2d": "AvgPool2d", "avg_pool3d": "AvgPool3d", "adaptive_avg_pool1d": "AdaptiveAvgPool1d",
    "adaptive_avg_pool2d": "AdaptiveAvgPool2d", "adaptive_max_pool2d": "AdaptiveMaxPool2d", "glu": "GLU",
    "pixel_shuffle": "PixelShuffle", "interpolate": "Upsample", "unfold": "Unfold",
}  # fmt: skip
BINARY = {
    "add": "Add",
    "sub": "Subtract",
    "mul": "Multiply",
    "div": "Divide",
    "maximum": "Maximum",
    "minimum": "Minimum",
    "multiply": "Multiply",
    "divide": "Divide",
    "subtract": "Subtract",
    "power": "Power",
}
PRODUCTS = frozenset({"matmul", "bmm", "mm", "spmm", "mv"})
REDUCTIONS = {"mean": "ReduceMean", "sum": "ReduceSum", "amax": "ReduceMax", "max": "ReduceMax",
              "prod": "ReduceProduct", "norm": "Norm", "argmax": "ArgMax", "argmin": "ArgMax", "var": "ReduceMean",
              "std": "ReduceMean", "amin": "ReduceMax", "min": "ReduceMax", "any": "ReduceMax", "all": "ReduceMax",
              "logsumexp": "ReduceSum", "median": "ReduceMean"}  # fmt: skip
