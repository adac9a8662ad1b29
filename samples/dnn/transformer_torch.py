# A small language model in PyTorch for a phone: how deep, wide and long may it be, and at which precision?
#
#   tunepass estimate samples/dnn/transformer_torch.py --device phone
#   tunepass prune samples/dnn/transformer_torch.py --device phone --limit "inference_byte=64 MB"
#
# tunepass input tokens: int64[1, context]
# tunepass param width: ordinal(128, 192, 256, 384, 512) = 256
# tunepass param heads: ordinal(2, 4, 6, 8) = 4
# tunepass param blocks: integer(2..12) = 6
# tunepass param context: ordinal(128, 256, 512, 1024) = 256
# tunepass param hidden: ordinal(2, 3, 4) = 4
# tunepass param tied: categorical(False, True) = False
# tunepass param precision: categorical("float32", "float16", "int8") = "float16"
# tunepass precision precision
# tunepass constraint width % heads == 0
# tunepass limit inference_byte <= 200 MB
import torch
from torch import nn

width, heads, blocks, context, hidden = 256, 4, 6, 256, 4
tied = False
precision = "float16"
vocabulary = 8000


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.project = nn.Linear(width, width, bias=False)
        self.norm2 = nn.LayerNorm(width)
        self.feed = nn.Sequential(
            nn.Linear(width, hidden * width), nn.GELU(), nn.Linear(hidden * width, width), nn.Dropout(0.1)
        )

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)) * (width // heads) ** -0.5
        y = (scores.softmax(dim=-1) @ v).transpose(1, 2).reshape(batch, length, width)
        x = x + self.project(y)
        return x + self.feed(self.norm2(x))


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(context, width)
        self.blocks = nn.ModuleList([Block() for _ in range(blocks)])
        self.norm = nn.LayerNorm(width)
        if not tied:
            self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        if tied:
            return x @ self.words.weight.t()
        return self.head(x)


model = LanguageModel()
