// A server that speaks Ollama's wire format on loopback, for the tests of the editors. Shapes and words are those of docs/api.md, api/types.go and server/routes.go of github.com/ollama/ollama at fb307608.
//
//     node editors/test/ollama.mjs        prints its address as in OLLAMA_HOST (127.0.0.1:40123) on a line, and serves until it is killed
//
// The model's name says how it answers:
//     qwen2.5-coder:7b    at once
//     slow:7b             a piece every 200 milliseconds
//     dies:7b             the connection breaks in the middle of the answer
//     fails:7b            the stream brings an error in the middle of the answer
//     waits:7b            says nothing at all
//
// Environment: OLLAMA_ANSWER, a file with the text that every model says; OLLAMA_LOG, a file that gets a line of JSON for each
// request ({"path", "body"}), and {"left": path} where the client went away before the end; OLLAMA_MODEL_ONLY, the one model
// that it has; OLLAMA_SECONDS, after how long it ends by itself (1800).

import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";

const SLOW_MS = 200;
/** Characters to a token, roughly. */
const TOKEN = 4;
const CONTEXT_LENGTH = 32768;
const MODELS = ["qwen2.5-coder:7b", "slow:7b", "dies:7b", "fails:7b", "waits:7b"];

const ANSWER = `\`login\` stops at \`src/auth/mod.rs:43\` before it looks at the password. Check it there, count what fails, and open
the session (\`src/auth/session.rs:38\`):

\`\`\`rust
if !self.hasher.verify(given.password, &user.password_hash) {
    return Err(AuthError::BadCredentials);
}
\`\`\`

The middleware (\`src/middleware/auth.rs\`) needs no change. The test in \`tests/auth.rs:44-58\` is ignored until then: with this it
can run.
`;

const models = process.env.OLLAMA_MODEL_ONLY ? [process.env.OLLAMA_MODEL_ONLY] : MODELS;
const answer = process.env.OLLAMA_ANSWER ? readFileSync(process.env.OLLAMA_ANSWER, "utf8") : ANSWER;
const loaded = new Set();

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => route(request, Buffer.concat(chunks).toString(), response));
});
server.listen(0, "127.0.0.1", () => console.log(`127.0.0.1:${server.address().port}`));
setTimeout(() => process.exit(0), 1000 * Number(process.env.OLLAMA_SECONDS || 1800)).unref();

function route(request, text, response) {
  const path = request.url.split("?")[0];
  let body;
  try {
    body = text ? JSON.parse(text) : {};
  } catch {
    return refuse(response, 400, "invalid character 'x' looking for beginning of value");
  }
  note({ path, body });
  const asked = body.model ?? "";
  switch (`${request.method} ${path}`) {
    case "GET /api/version":
    case "HEAD /api/version":
      return json(response, 200, { version: "0.30.0" });
    case "GET /api/tags":
      return json(response, 200, { models: models.map(listed) });
    case "GET /api/ps":
      return json(response, 200, { models: [...loaded].map(running) });
    case "POST /api/show":
      return has(asked, response) && json(response, 200, shown());
    case "POST /api/chat":
      return has(asked, response) && chat(path, body, response);
    default:
      response.writeHead(404, { "content-type": "text/plain" });
      return response.end("404 page not found");
  }
}

function has(model, response) {
  if (models.includes(model)) return true;
  refuse(response, model ? 404 : 400, model ? `model '${model}' not found` : "model is required");
  return false;
}

/** A request for an answer: in pieces of a few characters, or whole where no stream is wanted. */
async function chat(path, request, response) {
  loaded.add(request.model);
  // Whoever wants a schema filled gets the least that is JSON: every field is left to the heuristic.
  const text = request.format ? "{}" : answer;
  if (request.stream === false) {
    return json(response, 200, { ...last(request, text), message: message(text) });
  }
  let isGone = false;
  response.on("close", () => {
    isGone = true;
    if (!response.writableFinished) note({ left: path });
  });
  const behaviour = request.format ? "" : request.model.split(":")[0];
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.flushHeaders();
  if (behaviour === "waits") return;
  const characters = [...text];
  for (let at = 0; at < characters.length && !isGone; at += TOKEN) {
    if (at * 2 > characters.length && behaviour === "dies") return response.destroy();
    if (at * 2 > characters.length && behaviour === "fails") {
      return response.end(line({ error: "llama runner process no longer running: signal: killed" }));
    }
    response.write(line(piece(request, characters.slice(at, at + TOKEN).join(""))));
    await new Promise((done) => setTimeout(done, behaviour === "slow" ? SLOW_MS : 1));
  }
  if (!isGone) response.end(line(last(request, text)));
}

const message = (content) => ({ role: "assistant", content });
const tokens = (text) => Math.ceil([...text].length / TOKEN);
const line = (value) => `${JSON.stringify(value)}\n`;

function piece(request, text) {
  return { model: request.model, created_at: "2024-01-02T03:04:05.123456Z", message: message(text), done: false };
}

function last(request, text) {
  const prompt = (request.messages ?? []).reduce((sum, one) => sum + tokens(one.content ?? ""), 0);
  return {
    ...piece(request, ""), done: true, done_reason: "stop", total_duration: 4883583458, load_duration: 1334875,
    prompt_eval_count: prompt, prompt_eval_duration: 342546000, eval_count: tokens(text), eval_duration: 4535599000,
  };
}

function listed(name) {
  return {
    name, model: name, modified_at: "2024-01-02T03:04:05.123456Z", size: 4683087332,
    digest: "dae161e27b0e90dd1856c8bb3209201fd6736d8eb66298e75ed87571486f4364", details: details(),
  };
}

function running(name) {
  const { modified_at: _, ...rest } = listed(name);
  return { ...rest, expires_at: "2024-01-02T03:14:05.123456Z", size_vram: 4683087332, context_length: 4096 };
}

function details() {
  return {
    parent_model: "", format: "gguf", family: "qwen2", families: ["qwen2"], parameter_size: "7.6B",
    quantization_level: "Q4_K_M",
  };
}

function shown() {
  return {
    modelfile: "# Modelfile generated by \"ollama show\"\n", template: "{{ .System }}\n{{ .Prompt }}", details: details(),
    model_info: {
      "general.architecture": "qwen2", "general.parameter_count": 7615616512,
      "qwen2.context_length": CONTEXT_LENGTH, "qwen2.embedding_length": 3584,
    },
    capabilities: ["completion", "insert"], modified_at: "2024-01-02T03:04:05.123456Z",
  };
}

function json(response, status, value) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(value));
}

const refuse = (response, status, words) => json(response, status, { error: words });

function note(what) {
  if (process.env.OLLAMA_LOG) appendFileSync(process.env.OLLAMA_LOG, line(what));
}
