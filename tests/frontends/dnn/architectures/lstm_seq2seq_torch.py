# A sequence-to-sequence model of two LSTMs over characters, as it is trained: the decoder is given the answer.
# tunepass input source: float32[1, 16, 71]
# tunepass input target: float32[1, 59, 93]
from torch import nn


class Encoder(nn.Module):
    def __init__(self, tokens, latent):
        super().__init__()
        self.lstm = nn.LSTM(tokens, latent, batch_first=True)

    def forward(self, source):
        _, (hidden, cell) = self.lstm(source)
        return hidden, cell


class Decoder(nn.Module):
    def __init__(self, tokens, latent):
        super().__init__()
        self.lstm = nn.LSTM(input_size=tokens, hidden_size=latent, batch_first=True)
        self.words = nn.Linear(latent, tokens)

    def forward(self, target, hidden, cell):
        outputs, (hidden, cell) = self.lstm(target, (hidden, cell))
        return self.words(outputs)


class Seq2Seq(nn.Module):
    def __init__(self, source_tokens=71, target_tokens=93, latent=256):
        super().__init__()
        self.encoder = Encoder(source_tokens, latent)
        self.decoder = Decoder(target_tokens, latent)

    def forward(self, source, target):
        hidden, cell = self.encoder(source)
        return self.decoder(target, hidden, cell)


model = Seq2Seq()
