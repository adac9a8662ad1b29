# A classifier of small images in Keras. The comments say what may vary, and what the phone it goes to can hold:
#
#   tunepass space samples/dnn/mnist_keras.py
#   tunepass pareto samples/dnn/mnist_keras.py --device phone --exact
#
# tunepass param batch_size: ordinal(16, 32, 64, 128) = 32
# tunepass param kernel: ordinal(3, 5, 7, 11) = 3
# tunepass param filters: ordinal(16, 32, 64, 128, 512) = 64
# tunepass param units: ordinal(64, 128, 256, 512) = 128
# tunepass param padding: categorical("valid", "same") = "same"
# tunepass limit weight_byte <= 10 MB, memory <= 1 GB
from tensorflow import keras
from tensorflow.keras import layers

kernel = 3
filters = 64
units = 128
padding = "same"

model = keras.Sequential()
model.add(keras.Input(shape=(32, 32, 3)))
model.add(layers.Conv2D(filters, (kernel, kernel), padding=padding, activation="relu"))
model.add(layers.AveragePooling2D(pool_size=(2, 2), padding="same"))
model.add(layers.Flatten())
model.add(layers.Dense(units, activation="relu"))
model.add(layers.Dense(10, activation="softmax"))
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")


def main():
    (images, labels), _ = keras.datasets.cifar10.load_data()
    model.fit(images / 255.0, labels, batch_size=32, epochs=10)


if __name__ == "__main__":
    main()
