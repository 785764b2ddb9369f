//! Embedding models: the real one that `ci/get-model.sh` fetched, and tiny ones made here, whole or damaged as told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// The folder of all-MiniLM-L6-v2.
pub fn model() -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_dossier")).parent().and_then(Path::parent).unwrap();
    let folder = std::env::var_os("DOSSIER_TEST_MODEL")
        .map_or_else(|| built.join("models/all-MiniLM-L6-v2"), PathBuf::from);
    assert!(
        folder.join("model.safetensors").is_file(),
        "{} holds no model: run ci/get-model.sh, or name a folder with all-MiniLM-L6-v2 in DOSSIER_TEST_MODEL",
        folder.display()
    );
    folder
}

/// A BERT of one layer and a few words, with weights that follow from their names.
#[derive(Debug, Clone)]
pub struct Tiny {
    pub config: Value,
    pub pooling: Value,
    pub modules: Value,
    pub window: Value,
    pub tokenizer: Value,
    /// Shape and numbers, by name.
    pub tensors: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
    /// Whether the numbers are written in 16 bits (bf16).
    pub is_short: bool,
}

pub const HIDDEN: usize = 16;
const INNER: usize = 32;
const POSITIONS: usize = 24;

impl Default for Tiny {
    fn default() -> Tiny {
        Tiny::new()
    }
}

impl Tiny {
    pub fn new() -> Tiny {
        let words = words();
        let config = json!({
            "model_type": "bert", "architectures": ["BertModel"], "hidden_size": HIDDEN, "num_attention_heads": 2,
            "num_hidden_layers": 1, "intermediate_size": INNER, "vocab_size": words.len(),
            "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "pad_token_id": 0, "layer_norm_eps": 1e-12,
            "hidden_act": "gelu", "position_embedding_type": "absolute",
        });
        let pooling = json!({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false});
        let modules = json!([
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
        ]);
        let window = json!({"max_seq_length": 16, "do_lower_case": false});
        let tensors = tensors(words.len());
        Tiny { config, pooling, modules, window, tokenizer: tokenizer(&words), tensors, is_short: false }
    }

    /// Writes it into a folder, which is made.
    pub fn write(&self, folder: &Path) -> PathBuf {
        std::fs::create_dir_all(folder.join("1_Pooling")).unwrap();
        let put = |path: &str, value: &Value| std::fs::write(folder.join(path), value.to_string()).unwrap();
        put("config.json", &self.config);
        put("modules.json", &self.modules);
        put("1_Pooling/config.json", &self.pooling);
        put("sentence_bert_config.json", &self.window);
        put("tokenizer.json", &self.tokenizer);
        std::fs::write(folder.join("model.safetensors"), self.weights()).unwrap();
        folder.to_owned()
    }

    /// The file of weights: its length, a header of JSON, numbers.
    pub fn weights(&self) -> Vec<u8> {
        let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
        for (name, (shape, numbers)) in &self.tensors {
            let start = data.len();
            for number in numbers {
                match self.is_short {
                    true => data.extend_from_slice(&number.to_le_bytes()[2..]),
                    false => data.extend_from_slice(&number.to_le_bytes()),
                }
            }
            let kind = if self.is_short { "BF16" } else { "F32" };
            header.insert(
                name.clone(),
                json!({"dtype": kind, "shape": shape, "data_offsets": [start, data.len()]}),
            );
        }
        let header = Value::Object(header).to_string().into_bytes();
        [&(header.len() as u64).to_le_bytes(), header.as_slice(), &data].concat()
    }

    /// The same as a part of a larger model: with something before each name.
    pub fn prefixed(mut self, prefix: &str) -> Tiny {
        self.tensors = self.tensors.into_iter().map(|(name, it)| (format!("{prefix}{name}"), it)).collect();
        self
    }
}

fn words() -> Vec<String> {
    let letters = ('a'..='z').map(String::from);
    let special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map(str::to_owned);
    let whole = ["word", "login", "user", "session", "circle", "draw"].map(str::to_owned);
    special.into_iter().chain(letters.clone()).chain(letters.map(|c| format!("##{c}"))).chain(whole).collect()
}

fn tokenizer(words: &[String]) -> Value {
    let numbered: serde_json::Map<String, Value> =
        words.iter().enumerate().map(|(id, word)| (word.clone(), json!(id))).collect();
    let special = |id: usize| {
        json!({"id": id, "content": words[id], "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
               "special": true})
    };
    let token = |name: &str| json!({"SpecialToken": {"id": name, "type_id": 0}});
    json!({
        "version": "1.0", "truncation": {"max_length": 5, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 12}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0, "pad_type_id": 0,
                    "pad_token": "[PAD]"},
        "added_tokens": (0..4).map(special).collect::<Vec<_>>(),
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                       "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [token("[CLS]"), {"Sequence": {"id": "A", "type_id": 0}}, token("[SEP]")],
            "pair": [token("[CLS]"), {"Sequence": {"id": "A", "type_id": 0}}, token("[SEP]"),
                     {"Sequence": {"id": "B", "type_id": 1}}, token("[SEP]")],
            "special_tokens": {
                "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
            },
        },
        "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": numbered},
    })
}

fn tensors(words: usize) -> BTreeMap<String, (Vec<usize>, Vec<f32>)> {
    let mut tensors = BTreeMap::new();
    let mut put = |name: &str, shape: &[usize]| {
        let count = shape.iter().product();
        // In eighths: they are the same in 16 bits.
        let seed = name.bytes().fold(7_u32, |seed, byte| seed.wrapping_mul(31).wrapping_add(u32::from(byte)));
        let mut state = seed | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            f32::from(u8::try_from(state >> 28).unwrap()) / 8.0 - 1.0
        };
        let is_norm = name.ends_with("LayerNorm.weight");
        let numbers = (0..count).map(|_| if is_norm { 1.0 } else { next() }).collect();
        tensors.insert(name.to_owned(), (shape.to_vec(), numbers));
    };
    put("embeddings.word_embeddings.weight", &[words, HIDDEN]);
    put("embeddings.position_embeddings.weight", &[POSITIONS, HIDDEN]);
    put("embeddings.token_type_embeddings.weight", &[2, HIDDEN]);
    let mut layer = |name: &str, outputs: usize, inputs: usize| {
        put(&format!("encoder.layer.0.{name}.weight"), &[outputs, inputs]);
        put(&format!("encoder.layer.0.{name}.bias"), &[outputs]);
    };
    for name in ["query", "key", "value"] {
        layer(&format!("attention.self.{name}"), HIDDEN, HIDDEN);
    }
    layer("attention.output.dense", HIDDEN, HIDDEN);
    layer("intermediate.dense", INNER, HIDDEN);
    layer("output.dense", HIDDEN, INNER);
    for name in ["embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"] {
        put(&format!("{name}.LayerNorm.weight"), &[HIDDEN]);
        put(&format!("{name}.LayerNorm.bias"), &[HIDDEN]);
    }
    tensors
}
