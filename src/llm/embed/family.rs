//! What is known of families of embedding models by their names. Prefixes are what a model was taught with: left out, or mixed up,
//! its vectors get worse without a word. Each row is the word of the model's own card.

/// A family, known by a part of the names of its models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Family {
    /// In small letters.
    part: &'static str,
    pub query_prefix: &'static str,
    pub document_prefix: &'static str,
    /// Numbers of a vector, where all models of the family have as many.
    pub dimension: Option<usize>,
    /// Tokens that a text may have.
    pub window: usize,
    pub is_for_code: bool,
}

/// Of a model that nobody knows: no prefixes, and a window that every BERT has.
const UNKNOWN: Family = plain("", None, 512);

/// The question that BGE, mxbai and Snowflake's first models were taught with.
const PASSAGES: &str = "Represent this sentence for searching relevant passages: ";

/// The first row whose part is in a name counts.
const FAMILIES: [Family; 21] = [
    code("embeddinggemma", "task: code retrieval | query: ", "title: none | text: ", Some(768), 2_048),
    code("nomic-embed-code", "Represent this query for searching relevant code: ", "", Some(3_584), 32_768),
    code("coderankembed", "Represent this query for searching relevant code: ", "", Some(768), 8_192),
    asked("nomic-embed-text", "search_query: ", "search_document: ", Some(768), 2_048),
    code(
        "jina-code-embeddings",
        "Find the most relevant code snippet given the following query:\n",
        "Candidate code snippet:\n",
        None,
        32_768,
    ),
    code("jina-embeddings-v2-base-code", "", "", Some(768), 8_192),
    code(
        "qwen3-embedding",
        "Instruct: Given a search query, retrieve relevant code that answers the query\nQuery:",
        "",
        None,
        32_768,
    ),
    asked("mxbai-embed-large", PASSAGES, "", Some(1_024), 512),
    asked("snowflake-arctic-embed2", "query: ", "", Some(1_024), 8_192),
    asked("snowflake-arctic-embed-l-v2", "query: ", "", Some(1_024), 8_192),
    asked("snowflake-arctic-embed-m-v2", "query: ", "", Some(768), 8_192),
    asked("snowflake-arctic-embed", PASSAGES, "", None, 512),
    plain("bge-m3", Some(1_024), 8_192),
    asked("bge-small-en", PASSAGES, "", Some(384), 512),
    asked("bge-base-en", PASSAGES, "", Some(768), 512),
    asked("bge-large", PASSAGES, "", Some(1_024), 512),
    asked("e5-", "query: ", "passage: ", None, 512),
    plain("minilm", Some(384), 256),
    plain("all-mpnet-base", Some(768), 384),
    plain("paraphrase-multilingual", Some(768), 128),
    plain("granite-embedding", None, 512),
];

const fn plain(part: &'static str, dimension: Option<usize>, window: usize) -> Family {
    asked(part, "", "", dimension, window)
}

const fn asked(
    part: &'static str,
    query_prefix: &'static str,
    document_prefix: &'static str,
    dimension: Option<usize>,
    window: usize,
) -> Family {
    Family { part, query_prefix, document_prefix, dimension, window, is_for_code: false }
}

const fn code(
    part: &'static str,
    query_prefix: &'static str,
    document_prefix: &'static str,
    dimension: Option<usize>,
    window: usize,
) -> Family {
    Family { part, query_prefix, document_prefix, dimension, window, is_for_code: true }
}

impl Family {
    /// What is known of the model of this name.
    pub(super) fn of(name: &str) -> Family {
        let name = name.to_lowercase();
        FAMILIES.into_iter().find(|family| name.contains(family.part)).unwrap_or(UNKNOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_its_family() {
        for (name, query, document) in [
            ("embeddinggemma:300m", "task: code retrieval | query: ", "title: none | text: "),
            ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
            ("multilingual-e5-small", "query: ", "passage: "),
            ("BAAI/bge-small-en-v1.5", PASSAGES, ""),
            ("bge-m3", "", ""),
            ("snowflake-arctic-embed:33m", PASSAGES, ""),
            ("snowflake-arctic-embed2", "query: ", ""),
            ("all-MiniLM-L6-v2", "", ""),
            ("my-own", "", ""),
        ] {
            let family = Family::of(name);
            assert_eq!((family.query_prefix, family.document_prefix), (query, document), "{name}");
        }
        assert_eq!(Family::of("all-minilm").dimension, Some(384));
        assert!(Family::of("embeddinggemma").is_for_code && !Family::of("all-minilm").is_for_code);
    }

    #[test]
    fn no_row_hides_another() {
        for (at, family) in FAMILIES.iter().enumerate() {
            assert_eq!(Family::of(family.part).part, family.part, "row {at}");
        }
    }
}
