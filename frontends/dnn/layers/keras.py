"""Keras' layers as operators (keras.io/api/layers, version 3)."""

from __future__ import annotations

_CONV = "kernel_size=kernel strides=stride padding data_format=layout dilation_rate=dilation"
_POOL = "pool_size=kernel strides=stride|pool_size padding data_format=layout"
_DATA = "data_format=layout keepdims=keep"
_RECURRENT = "units activation- recurrent_activation- use_bias! return_sequences=sequences return_state!"

LAYERS = {
    **dict.fromkeys(("Conv1D", "Conv2D", "Conv3D"), f"Conv filters {_CONV} groups activation! use_bias=bias"),
    **dict.fromkeys(
        ("Conv2DTranspose", "Conv1DTranspose", "Conv3DTranspose"),
        "ConvTranspose filters kernel_size=kernel strides=stride padding data_format=layout output_padding=extra"
        " dilation_rate=dilation activation! use_bias=bias ; form=keras",
    ),
    **dict.fromkeys(
        ("DepthwiseConv1D", "DepthwiseConv2D"),
        "DepthwiseConv kernel_size=kernel strides=stride padding depth_multiplier=multiplier data_format=layout"
        " dilation_rate=dilation activation! use_bias=bias",
    ),
    **dict.fromkeys(
        ("SeparableConv1D", "SeparableConv2D"),
        f"SeparableConv filters {_CONV} depth_multiplier=multiplier activation! use_bias=bias",
    ),
    **dict.fromkeys(
        ("ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D"),
        f"ConvLSTM filters {_CONV} activation- use_bias=bias return_sequences=sequences",
    ),
    **dict.fromkeys(("MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "MaxPool1D", "MaxPool2D"), f"MaxPool {_POOL}"),
    **dict.fromkeys(
        ("AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "AvgPool1D", "AvgPool2D"), f"AveragePool {_POOL}"
    ),
    **dict.fromkeys(
        (
            "GlobalAveragePooling1D",
            "GlobalAveragePooling2D",
            "GlobalAveragePooling3D",
            "GlobalAvgPool1D",
            "GlobalAvgPool2D",
        ),
        f"GlobalAveragePool {_DATA}",
    ),
    **dict.fromkeys(
        ("GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D", "GlobalMaxPool1D", "GlobalMaxPool2D"),
        f"GlobalMaxPool {_DATA}",
    ),
    "Dense": "Dense units activation! use_bias=bias",
    "EinsumDense": "EinsumDense equation output_shape! activation! bias_axes!",
    "Embedding": "Embedding input_dim=vocabulary output_dim=width",
    "SimpleRNN": "RNN units activation- use_bias! return_sequences=sequences return_state!",
    "LSTM": f"LSTM {_RECURRENT}",
    "GRU": f"GRU {_RECURRENT} reset_after!",
    "BatchNormalization": "BatchNorm axis- momentum- epsilon- center scale",
    "LayerNormalization": "LayerNorm axis=axes epsilon- center scale",
    "GroupNormalization": "GroupNorm groups axis- epsilon- center scale",
    "RMSNormalization": "RMSNorm axis=axes epsilon-",
    "UnitNormalization": "UnitNorm axis-",
    "Normalization": "Normalization axis- mean- variance-",
    "Dropout": "Dropout rate",
    "SpatialDropout1D": "Dropout rate",
    "SpatialDropout2D": "Dropout rate",
    "AlphaDropout": "Dropout rate",
    "GaussianDropout": "Dropout rate",
    "GaussianNoise": "GaussianNoise stddev-",
    "Flatten": "Flatten data_format-",
    "Reshape": "Reshape target_shape!",
    "Permute": "Transpose dims!",
    "RepeatVector": "RepeatVector n=count",
    "ReLU": "ReLU max_value- negative_slope- threshold-",
    "LeakyReLU": "LeakyReLU negative_slope- alpha-",
    "PReLU": "PReLU alpha_initializer- alpha_regularizer- alpha_constraint- shared_axes",
    "ELU": "ELU alpha-",
    "Softmax": "Softmax axis-",
    "Activation": "Activation activation!",
    "Rescaling": "Rescaling scale- offset-",
    "ZeroPadding1D": "ZeroPadding padding",
    "ZeroPadding2D": "ZeroPadding padding data_format=layout",
    "ZeroPadding3D": "ZeroPadding padding data_format=layout",
    "Cropping1D": "Cropping cropping=padding",
    "Cropping2D": "Cropping cropping=padding data_format=layout",
    "UpSampling1D": "Upsample size=scale",
    "UpSampling2D": "Upsample size=scale data_format=layout interpolation=mode",
    "UpSampling3D": "Upsample size=scale data_format=layout",
    "Add": "Add",
    "Subtract": "Subtract",
    "Multiply": "Multiply",
    "Average": "Average",
    "Maximum": "Maximum",
    "Minimum": "Minimum",
    "Concatenate": "Concatenate axis",
    "Dot": "Dot axes",
    "MultiHeadAttention": "MultiHeadAttention num_heads=heads key_dim=key_width value_dim=value_width dropout-"
    " use_bias=bias output_shape-",
    "GroupQueryAttention": "MultiHeadAttention head_dim=key_width num_query_heads=heads"
    " num_key_value_heads=shared_heads dropout- use_bias=bias",
    "Attention": "Attention use_scale=scale",
    "AdditiveAttention": "AdditiveAttention use_scale=scale",
    "Identity": "Identity",
    "Masking": "Identity mask_value-",
    "ActivityRegularization": "Identity l1- l2-",
    **dict.fromkeys(
        ("RandomFlip", "RandomRotation", "RandomZoom", "RandomTranslation", "RandomContrast", "RandomBrightness"),
        "Identity factor- width_factor- height_factor- mode- fill_mode- interpolation- value_range- fill_value-",
    ),
    "Resizing": "Resizing height! width! interpolation=mode data_format=layout crop_to_aspect_ratio-",
    "CenterCrop": "Resizing height! width! data_format=layout",
    "RandomCrop": "Resizing height! width! data_format=layout",
}
FUNCTIONS = {  # lower-case functions of keras.layers that apply a layer at once
    "add": "Add", "subtract": "Subtract", "multiply": "Multiply", "average": "Average", "maximum": "Maximum",
    "minimum": "Minimum", "concatenate": "Concatenate", "dot": "Dot",
}  # fmt: skip
ACTIVATIONS = {
    "relu": "ReLU", "relu6": "ReLU6", "leaky_relu": "LeakyReLU", "elu": "ELU", "selu": "SELU", "celu": "CELU",
    "gelu": "GELU", "sigmoid": "Sigmoid", "hard_sigmoid": "HardSigmoid", "tanh": "Tanh", "softmax": "Softmax",
    "log_softmax": "LogSoftmax", "softplus": "Softplus", "softsign": "Softsign", "silu": "SiLU", "swish": "SiLU",
    "hard_swish": "HardSwish", "hard_silu": "HardSwish", "mish": "Mish", "exponential": "Exp",
}  # fmt: skip
SILENT = frozenset(
    {
        *("name", "dtype", "trainable", "kernel_initializer", "bias_initializer", "kernel_regularizer", "seed"),
        *("bias_regularizer", "activity_regularizer", "kernel_constraint", "bias_constraint", "recurrent_dropout"),
        *("dropout", "recurrent_initializer", "recurrent_regularizer", "recurrent_constraint", "unroll", "stateful"),
        *("go_backwards", "implementation", "input_shape", "input_dim", "batch_input_shape", "beta_initializer"),
        *(
            "gamma_initializer",
            "beta_regularizer",
            "gamma_regularizer",
            "momentum",
            "epsilon",
            "mask_zero",
            "synchronized",
        ),
        *("depthwise_initializer", "pointwise_initializer", "embeddings_initializer", "embeddings_regularizer"),
        *("input_length", "unit_forget_bias", "noise_shape", "fill_mode", "interpolation", "attention_axes"),
        *("kernel_size_", "moving_mean_initializer", "moving_variance_initializer", "lora_rank", "score_mode"),
    }
)
