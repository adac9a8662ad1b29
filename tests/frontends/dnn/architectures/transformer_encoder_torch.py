# The encoder of a Transformer (Vaswani et al., arXiv 1706.03762), base size, without an embedding.
# tunepass input x: float32[1, 128, 512]
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=512, nhead=8, dim_feedforward=2048, batch_first=True)
model = nn.TransformerEncoder(layer, num_layers=6)
