"""The vectors that a BERT gives for a few texts, computed in the plainest way: what `embed.rs` compares ours with.

usage: python3 tests/llm/reference.py MODEL_FOLDER > tests/llm/reference.json        needs numpy and tokenizers
"""

import json
import math
import sys

import numpy as np
from tokenizers import Tokenizer

TEXTS = [
    "That is a happy person",
    "That is a very happy person",
    "That is a happy dog",
    "Today is a sunny day",
    "",
    "pub fn refresh_session(&mut self, token: &Token) -> Result<Session, SessionError>",
    "Grüße aus Köln, 中文 und 🦀",
    # Longer than the window: it is cut.
    "fn login(name: &str) -> bool { check_password(name) }\n" * 40,
]


def read_tensors(path):
    with open(path, "rb") as file:
        data = file.read()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, about in header.items():
        if name != "__metadata__" and about["dtype"] == "F32":
            start, end = about["data_offsets"]
            numbers = np.frombuffer(data[8 + length + start : 8 + length + end], dtype="<f4")
            tensors[name] = numbers.reshape(about["shape"]).astype(np.float64)
    return tensors


def norm(rows, tensors, name, epsilon):
    rows = rows - rows.mean(-1, keepdims=True)
    rows = rows / np.sqrt((rows**2).mean(-1, keepdims=True) + epsilon)
    return rows * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]


def linear(rows, tensors, name):
    return rows @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]


def embed(tokens, tensors, config):
    epsilon, heads = config["layer_norm_eps"], config["num_attention_heads"]
    rows = (
        tensors["embeddings.word_embeddings.weight"][tokens]
        + tensors["embeddings.position_embeddings.weight"][: len(tokens)]
        + tensors["embeddings.token_type_embeddings.weight"][0]
    )
    rows = norm(rows, tensors, "embeddings.LayerNorm", epsilon)
    for layer in range(config["num_hidden_layers"]):
        own = f"encoder.layer.{layer}"
        parts = [linear(rows, tensors, f"{own}.attention.self.{part}") for part in ("query", "key", "value")]
        contexts = []
        for query, key, value in zip(*(np.split(part, heads, axis=1) for part in parts)):
            scores = query @ key.T / math.sqrt(query.shape[1])
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            contexts.append(scores / scores.sum(-1, keepdims=True) @ value)
        more = linear(np.concatenate(contexts, axis=1), tensors, f"{own}.attention.output.dense")
        rows = norm(rows + more, tensors, f"{own}.attention.output.LayerNorm", epsilon)
        inner = linear(rows, tensors, f"{own}.intermediate.dense")
        inner = 0.5 * inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        rows = norm(rows + linear(inner, tensors, f"{own}.output.dense"), tensors, f"{own}.output.LayerNorm", epsilon)
    vector = rows.mean(0)
    return vector / np.linalg.norm(vector)


def main():
    folder = sys.argv[1]
    with open(f"{folder}/config.json") as file:
        config = json.load(file)
    with open(f"{folder}/sentence_bert_config.json") as file:
        window = json.load(file)["max_seq_length"]
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(window)
    tensors = read_tensors(f"{folder}/model.safetensors")
    rows = []
    for text in TEXTS:
        vector = embed(tokenizer.encode(text).ids, tensors, config)
        rows.append({"text": text, "vector": [round(float(number), 5) for number in vector]})
    print("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]")


main()
