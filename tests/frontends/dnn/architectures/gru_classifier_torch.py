# A classifier of texts: embedded words, two bidirectional GRUs, and their maximum over time.
# tunepass input words: int64[1, 200]
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, vocabulary=20000, width=128):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.dropout = nn.Dropout(0.2)
        self.first = nn.GRU(width, 64, batch_first=True, bidirectional=True)
        self.second = nn.GRU(2 * 64, 32, batch_first=True, bidirectional=True)
        self.dense = nn.Linear(2 * 32, 64)
        self.score = nn.Linear(64, 1)

    def forward(self, words):
        x = self.dropout(self.embedding(words))
        x = self.first(x)[0]
        x, _ = self.second(x)
        x, _ = torch.max(x, dim=1)
        return torch.sigmoid(self.score(torch.relu(self.dense(x)))).squeeze(-1)


model = Classifier()
