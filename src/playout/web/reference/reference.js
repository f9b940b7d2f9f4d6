// /openapi.json as a page. Everything is put in as text, nothing as HTML, and nothing comes from elsewhere.

/**
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {Schema[]} [anyOf]
 * @property {unknown[]} [enum]
 * @property {unknown} [const]
 * @property {string} [type]
 * @property {Schema} [items]
 * @property {Schema} [additionalProperties]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {unknown} [default]
 * @property {string} [description]
 * @property {unknown[]} [examples]
 *
 * @typedef {Record<string, { schema: Schema }>} Content
 *
 * @typedef {object} Operation
 * @property {string[]} [tags]
 * @property {string} [summary]
 * @property {string} [description]
 * @property {{ name: string, in: string, schema: Schema, description?: string }[]} [parameters]
 * @property {{ content: Content }} [requestBody]
 * @property {Record<string, { content?: Content }>} [responses]
 */

/** @param {string} name @param {string} [text] @param {Record<string, string>} [attributes] */
const make = (name, text = "", attributes = {}) => {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
/** @type {{ paths: Record<string, Record<string, Operation>>, components: { schemas: Record<string, Schema> } }} */
const api = await (await fetch("/openapi.json")).json();

/** @param {string} reference */
const lastPart = (reference) => reference.slice(reference.lastIndexOf("/") + 1);

/** @param {Schema | undefined} schema @returns {Schema} */
const resolved = (schema) => (schema?.$ref ? api.components.schemas[lastPart(schema.$ref)] : (schema ?? {}));

/** @param {Schema | undefined} schema @returns {string} */
function typeOf(schema) {
  if (!schema) return "";
  if (schema.$ref) return lastPart(schema.$ref);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${typeOf(schema.items) || "anything"}`;
  if (schema.type === "object" && schema.additionalProperties) return `object of ${typeOf(schema.additionalProperties)}`;
  return schema.type ?? "anything";
}

/** @param {string[][]} entries @param {string[]} titles */
function rows(entries, titles) {
  const table = document.createElement("table"),
    head = table.createTHead().insertRow(),
    body = table.createTBody();
  titles.forEach((title) => head.append(make("th", title)));
  for (const entry of entries) {
    const row = body.insertRow();
    entry.forEach((text, i) => row.insertCell().append(make(i < 2 ? "code" : "span", text)));
  }
  return table;
}

/** @param {Schema | undefined} schema */
const defaultOf = (schema) => (schema?.default === undefined ? "" : JSON.stringify(schema.default));

/** @param {Schema | undefined} schema */
function fields(schema) {
  const { properties = {}, required = [] } = resolved(schema);
  return Object.entries(properties).map(([name, field]) => [
    name,
    typeOf(field),
    required.includes(name) ? "" : defaultOf(field),
    field.description ?? "",
  ]);
}

const FIELDS = ["field", "type", "default", "meaning"];

/** @param {string} method @param {string} path @param {Operation} found */
function operation(method, path, found) {
  const box = make("details"),
    summary = make("summary");
  summary.append(make("span", method.toUpperCase(), { class: "method" }), make("code", path));
  summary.append(make("span", `  ${found.description ?? found.summary ?? ""}`));
  box.append(summary);
  if (found.parameters?.length) {
    const given = found.parameters.map((p) => [
      p.name,
      `${p.in}: ${typeOf(p.schema)}`,
      defaultOf(p.schema),
      p.description ?? "",
    ]);
    box.append(make("h3", "Parameters"), rows(given, ["name", "where and what", "default", "meaning"]));
  }
  for (const [kind, content] of Object.entries(found.requestBody?.content ?? {})) {
    const known = fields(content.schema);
    box.append(make("h3", `Body, ${kind}`));
    box.append(known.length ? rows(known, FIELDS) : make("p", typeOf(content.schema)));
    for (const body of resolved(content.schema).examples ?? [])
      box.append(make("pre", JSON.stringify(body).replace(/([,:])(?=["{[\d])/g, "$1 ")));
  }
  for (const [status, answer] of Object.entries(found.responses ?? {})) {
    const schema = answer.content?.["application/json"]?.schema;
    if (Number(status) >= 300) continue;
    const known = fields(schema);
    box.append(make("h3", `Answer ${status}${schema ? `, ${typeOf(schema)}` : ""}`));
    if (known.length) box.append(rows(known, FIELDS));
  }
  const errors = Object.keys(found.responses ?? {}).filter((status) => Number(status) >= 400);
  box.append(make("p", `Refusals, as problem details (RFC 9457) with a code: ${errors.join(", ")}`));
  return box;
}

const contents = /** @type {HTMLElement} */ (document.getElementById("contents")),
  main = /** @type {HTMLElement} */ (document.getElementById("routes"));
/** @type {Map<string, HTMLElement[]>} */
const groups = new Map();
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, found] of Object.entries(methods)) {
    const tag = found.tags?.[0] ?? "other";
    groups.set(tag, [...(groups.get(tag) ?? []), operation(method, path, found)]);
  }
}
groups.set("live", [make("p", "WebSocket /v1/sessions/{session}/live: the messages are described in docs/http.md.")]);
for (const [tag, boxes] of groups) {
  contents.append(make("a", tag, { href: `#${tag}` }));
  main.append(make("h2", tag, { id: tag }), ...boxes);
}
const schemas = Object.entries(api.components.schemas).filter(([name]) => name.endsWith("Out"));
contents.append(make("a", "objects", { href: "#objects" }));
main.append(make("h2", "objects", { id: "objects" }));
for (const [name, schema] of schemas) {
  const box = make("details");
  box.append(make("summary", name), rows(fields(schema), FIELDS));
  main.append(box);
}

export {};
