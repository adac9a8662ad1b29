# VGG-16, configuration D of Simonyan and Zisserman (arXiv 1409.1556).
from keras import Sequential, layers

model = Sequential([layers.Input(shape=(224, 224, 3))])
for filters, convolutions in [(64, 2), (128, 2), (256, 3), (512, 3), (512, 3)]:
    for _ in range(convolutions):
        model.add(layers.Conv2D(filters, 3, padding="same", activation="relu"))
    model.add(layers.MaxPooling2D(2))
model.add(layers.Flatten())
for _ in range(2):
    model.add(layers.Dense(4096, activation="relu"))
model.add(layers.Dense(1000, activation="softmax"))
