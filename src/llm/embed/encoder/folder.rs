//! A model's folder, as `sentence-transformers` saves it: what its small files say, checked before anything large is read.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::files::{read, read_if_there};
use crate::llm::embed::error::{CHOOSE_ANOTHER, EmbedError, GET_ANEW};

/// The files of a model besides its weights, its tokenizer and what `modules.json` names.
const CONFIG: &str = "config.json";
pub(super) const MODULES: &str = "modules.json";
const PROMPTS: &str = "config_sentence_transformers.json";
/// What `sentence-transformers` calls the file with the window, by the model's family.
pub(super) const WINDOWS: [&str; 3] =
    ["sentence_bert_config.json", "sentence_roberta_config.json", "sentence_xlm-roberta_config.json"];

/// A file of settings beyond this size, in bytes, is something else.
pub(super) const LARGEST_SETTINGS: u64 = 1 << 20;

/// Beyond these sizes a model would not run on a processor in a time that anybody waits for; the largest that are in use
/// (XLM-RoBERTa large) have 24 layers of 1,024 numbers and 250,002 words.
const MOST_LAYERS: usize = 128;
const LARGEST_ROW: usize = 16_384;
const MOST_WORDS: usize = 4_000_000;

/// Tokens of the longest text that is embedded as one: the attention of each head takes four bytes for each pair of them.
const LARGEST_WINDOW: usize = 2_048;
/// One token between the two that mark a text's ends.
const SHORTEST_WINDOW: usize = 3;

/// A model's folder whose settings are understood.
pub(super) struct ModelFolder {
    pub path: PathBuf,
    /// Where its weights, tokenizer and configuration are.
    pub encoder: PathBuf,
    pub shape: Shape,
    pub pooling: Pooling,
    /// Tokens that a text may have, with those that mark its ends.
    pub window: usize,
    /// Whether texts are to be put into small letters before they are cut into tokens.
    pub is_lowercased: bool,
    /// What is to stand before questions and before what is searched, where the model says.
    pub prompts: Option<Prompts>,
    /// The small files that were read, with their bytes: they decide on the vectors.
    pub settings: Settings,
}

/// Files that were read, with their bytes.
pub(super) type Settings = Vec<(PathBuf, Vec<u8>)>;

/// The sizes of an encoder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    pub hidden: usize,
    pub heads: usize,
    pub layers: usize,
    pub inner: usize,
    pub words: usize,
    pub positions: usize,
    pub kinds: usize,
    /// The position of the first token: RoBERTa counts from behind its padding.
    pub first_position: usize,
    /// The token of no text.
    pub pad: u32,
    pub epsilon: f32,
    pub activation: Activation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    Gelu,
    /// By way of `tanh`.
    GeluNew,
    Relu,
}

/// How the vectors of a text's tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    Mean,
    First,
}

/// What stands before texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Prompts {
    pub query: String,
    pub document: String,
}

#[derive(Deserialize)]
struct Config {
    model_type: Option<String>,
    #[serde(default)]
    architectures: Option<Vec<String>>,
    hidden_size: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    #[serde(default = "one")]
    type_vocab_size: usize,
    #[serde(default)]
    pad_token_id: Option<u32>,
    #[serde(default = "epsilon")]
    layer_norm_eps: f32,
    hidden_act: String,
    position_embedding_type: Option<String>,
}

#[derive(Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct PoolingConfig {
    /// Of later versions.
    pooling_mode: Option<String>,
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
}

#[derive(Deserialize)]
struct WindowConfig {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

#[derive(Deserialize, Default)]
struct PromptConfig {
    #[serde(default)]
    prompts: std::collections::BTreeMap<String, Option<String>>,
}

fn one() -> usize {
    1
}

/// Of BERT: `configuration_bert.py` in transformers.
fn epsilon() -> f32 {
    1e-12
}

impl ModelFolder {
    /// Reads the settings of the model in this folder.
    pub(super) fn read(path: &Path) -> Result<ModelFolder, EmbedError> {
        let found = path.metadata().map_err(|error| {
            EmbedError::folder(path, error.to_string(), "name a folder that holds a model")
        })?;
        if !found.is_dir() {
            return Err(EmbedError::folder(path, "it is a file", "name the folder that holds the model"));
        }
        let mut settings = Vec::new();
        let modules: Vec<Module> = needed(&path.join(MODULES), &mut settings)?;
        let (encoder, pooled) = places(&path.join(MODULES), &modules)?;
        let encoder = path.join(encoder);
        let config_file = encoder.join(CONFIG);
        let config: Config = needed(&config_file, &mut settings)?;
        let shape = shape(&config, &config_file)?;
        let pooling = pooling(&path.join(pooled).join(CONFIG), &mut settings)?;
        let (window, is_lowercased) = window(&encoder, shape, &mut settings)?;
        let prompts = prompts(&path.join(PROMPTS), &mut settings)?;
        Ok(ModelFolder {
            path: path.to_owned(),
            encoder,
            shape,
            pooling,
            window,
            is_lowercased,
            prompts,
            settings,
        })
    }

    pub(super) fn weights(&self) -> PathBuf {
        self.encoder.join("model.safetensors")
    }

    pub(super) fn tokenizer(&self) -> PathBuf {
        self.encoder.join("tokenizer.json")
    }

    /// The folder's own name.
    pub(super) fn name(&self) -> String {
        let real = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        real.file_name().unwrap_or(real.as_os_str()).to_string_lossy().into_owned()
    }
}

/// The folders of the encoder and of its pooling, from the model's own, by what `modules.json` says.
pub(super) fn places_in(file: &Path) -> Result<(String, String), EmbedError> {
    places(file, &needed::<Vec<Module>>(file, &mut Vec::new())?)
}

/// The folders of the encoder and of the pooling behind it; what else a model may have is not known here.
fn places(file: &Path, modules: &[Module]) -> Result<(String, String), EmbedError> {
    let (mut encoder, mut pooling) = (None, None);
    for module in modules {
        let is_inside = Path::new(&module.path)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
        if !is_inside {
            let why = format!("it names {}, which is outside of the folder", module.path);
            return Err(EmbedError::folder(file, why, GET_ANEW));
        }
        let folder = module.path.clone();
        match module.kind.rsplit('.').next().unwrap_or_default() {
            "Transformer" if encoder.is_none() => encoder = Some(folder),
            "Pooling" if pooling.is_none() => pooling = Some(folder),
            "Normalize" => {}
            other => {
                let why = format!(
                    "it has a module `{other}`; known are one Transformer, one Pooling and Normalize"
                );
                return Err(EmbedError::folder(file, why, CHOOSE_ANOTHER));
            }
        }
    }
    match (encoder, pooling) {
        (Some(encoder), Some(pooling)) => Ok((encoder, pooling)),
        _ => {
            Err(EmbedError::folder(file, "it names no Transformer with a Pooling behind it", CHOOSE_ANOTHER))
        }
    }
}

fn shape(config: &Config, file: &Path) -> Result<Shape, EmbedError> {
    let other = |why: String| EmbedError::folder(file, why, CHOOSE_ANOTHER);
    let pad = config.pad_token_id.unwrap_or(0);
    let first_position = match config.model_type.as_deref() {
        Some("bert") => 0,
        Some("roberta" | "xlm-roberta" | "camembert") => pad as usize + 1,
        found => {
            let named = config.architectures.as_ref().map(|names| names.join(", ")).unwrap_or_default();
            let found = found.unwrap_or("not named");
            return Err(other(format!(
                "its architecture is {found} ({named}); known are bert, roberta, xlm-roberta and camembert"
            )));
        }
    };
    if let Some(kind) = config.position_embedding_type.as_deref().filter(|&kind| kind != "absolute") {
        return Err(other(format!("its positions are `{kind}`; known are `absolute` ones")));
    }
    let activation = match config.hidden_act.as_str() {
        "gelu" => Activation::Gelu,
        "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Activation::GeluNew,
        "relu" => Activation::Relu,
        act => return Err(other(format!("its activation is `{act}`; known are gelu, gelu_new and relu"))),
    };
    let limits = [
        ("hidden_size", config.hidden_size, LARGEST_ROW),
        ("num_attention_heads", config.num_attention_heads, config.hidden_size),
        ("num_hidden_layers", config.num_hidden_layers, MOST_LAYERS),
        ("intermediate_size", config.intermediate_size, LARGEST_ROW * 4),
        ("vocab_size", config.vocab_size, MOST_WORDS),
        ("max_position_embeddings", config.max_position_embeddings, MOST_WORDS),
        ("type_vocab_size", config.type_vocab_size, MOST_WORDS),
    ];
    if let Some((name, size, most)) = limits.into_iter().find(|(_, size, most)| !(1..=*most).contains(size)) {
        return Err(other(format!("{name} is {size}; it must be from 1 to {most}")));
    }
    if !config.hidden_size.is_multiple_of(config.num_attention_heads) {
        let (hidden, heads) = (config.hidden_size, config.num_attention_heads);
        return Err(other(format!("hidden_size {hidden} cannot be shared by {heads} heads")));
    }
    if config.max_position_embeddings < first_position + SHORTEST_WINDOW {
        return Err(other("it has no room for a text between its two ends".to_owned()));
    }
    if !(config.layer_norm_eps > 0.0 && config.layer_norm_eps < 1.0) {
        return Err(other(format!(
            "layer_norm_eps is {}; it must be between 0 and 1",
            config.layer_norm_eps
        )));
    }
    Ok(Shape {
        hidden: config.hidden_size,
        heads: config.num_attention_heads,
        layers: config.num_hidden_layers,
        inner: config.intermediate_size,
        words: config.vocab_size,
        positions: config.max_position_embeddings,
        kinds: config.type_vocab_size,
        first_position,
        pad,
        epsilon: config.layer_norm_eps,
        activation,
    })
}

/// The tokens that a text may have, and whether it is to be put into small letters.
fn window(encoder: &Path, shape: Shape, settings: &mut Settings) -> Result<(usize, bool), EmbedError> {
    let held = shape.positions - shape.first_position;
    let Some(file) = WINDOWS.iter().map(|name| encoder.join(name)).find(|file| file.exists()) else {
        return Ok((held.min(LARGEST_WINDOW), false));
    };
    let config: WindowConfig = needed(&file, settings)?;
    let told = config.max_seq_length.unwrap_or(held);
    if told < SHORTEST_WINDOW {
        let why = format!("max_seq_length is {told}; a text needs {SHORTEST_WINDOW} with its two ends");
        return Err(EmbedError::folder(&file, why, GET_ANEW));
    }
    Ok((told.min(held).min(LARGEST_WINDOW), config.do_lower_case))
}

fn pooling(file: &Path, settings: &mut Settings) -> Result<Pooling, EmbedError> {
    let config: PoolingConfig = needed(file, settings)?;
    let others = config.pooling_mode_max_tokens
        || config.pooling_mode_mean_sqrt_len_tokens
        || config.pooling_mode_weightedmean_tokens
        || config.pooling_mode_lasttoken;
    match (config.pooling_mode.as_deref(), config.pooling_mode_cls_token, config.pooling_mode_mean_tokens) {
        (Some("mean"), _, _) | (None, false, true) if !others => Ok(Pooling::Mean),
        (Some("cls"), _, _) | (None, true, false) if !others => Ok(Pooling::First),
        _ => {
            let why = "it pools in a way that is not known; known are the mean and the first token (`cls`)";
            Err(EmbedError::folder(file, why, CHOOSE_ANOTHER))
        }
    }
}

/// What `sentence-transformers` puts before questions and passages; nothing where a model tells neither.
fn prompts(file: &Path, settings: &mut Settings) -> Result<Option<Prompts>, EmbedError> {
    let Some(bytes) = read_if_there(file, LARGEST_SETTINGS)? else { return Ok(None) };
    let config: PromptConfig = parsed(file, &bytes)?;
    settings.push((file.to_owned(), bytes));
    let prompt = |names: &[&str]| names.iter().find_map(|name| config.prompts.get(*name)?.clone());
    let (query, document) = (prompt(&["query"]), prompt(&["document", "passage", "corpus"]));
    // Later versions write empty ones for every model.
    let told = |prompt: &Option<String>| prompt.as_ref().is_some_and(|prompt| !prompt.is_empty());
    let is_told = told(&query) || told(&document);
    Ok(is_told.then(|| Prompts { query: query.unwrap_or_default(), document: document.unwrap_or_default() }))
}

fn needed<T: DeserializeOwned>(file: &Path, settings: &mut Settings) -> Result<T, EmbedError> {
    let bytes = read(file, LARGEST_SETTINGS)?;
    let value = parsed(file, &bytes)?;
    settings.push((file.to_owned(), bytes));
    Ok(value)
}

fn parsed<T: DeserializeOwned>(file: &Path, bytes: &[u8]) -> Result<T, EmbedError> {
    serde_json::from_slice(bytes)
        .map_err(|error| EmbedError::folder(file, format!("it is not as expected ({error})"), GET_ANEW))
}
