// /openapi.json as a page. Everything is put in as text, nothing as HTML, and nothing comes from elsewhere.

const make = (name, text = "", attributes = {}) => {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const api = await (await fetch("/openapi.json")).json();

function resolved(schema) {
  return schema?.$ref ? api.components.schemas[schema.$ref.split("/").pop()] : (schema ?? {});
}

function typeOf(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${typeOf(schema.items) || "anything"}`;
  if (schema.type === "object" && schema.additionalProperties) return `object of ${typeOf(schema.additionalProperties)}`;
  return schema.type ?? "anything";
}

function rows(entries, titles) {
  const table = make("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  titles.forEach((title) => head.append(make("th", title)));
  for (const entry of entries) {
    const row = body.insertRow();
    entry.forEach((text, i) => row.insertCell().append(make(i < 2 ? "code" : "span", text)));
  }
  return table;
}

function fields(schema) {
  const found = resolved(schema), required = found.required ?? [];
  return Object.entries(found.properties ?? {}).map(([name, field]) => [
    name,
    typeOf(field),
    required.includes(name) || field.default === undefined ? "" : JSON.stringify(field.default),
    field.description ?? "",
  ]);
}

function operation(method, path, found) {
  const box = make("details"), summary = make("summary");
  summary.append(make("span", method.toUpperCase(), { class: "method" }), make("code", path));
  summary.append(make("span", `  ${found.description ?? found.summary ?? ""}`));
  box.append(summary);
  if (found.parameters?.length) {
    box.append(make("h3", "Parameters"));
    const given = found.parameters.map((p) => [
      p.name, `${p.in}: ${typeOf(p.schema)}`, p.schema.default === undefined ? "" : JSON.stringify(p.schema.default), p.description ?? "",
    ]);
    box.append(rows(given, ["name", "where and what", "default", "meaning"]));
  }
  for (const [kind, content] of Object.entries(found.requestBody?.content ?? {})) {
    box.append(make("h3", `Body, ${kind}`));
    const known = fields(content.schema);
    box.append(known.length ? rows(known, ["field", "type", "default", "meaning"]) : make("p", typeOf(content.schema)));
    for (const body of resolved(content.schema).examples ?? [])
      box.append(make("pre", JSON.stringify(body).replace(/([,:])(?=["{[\d])/g, "$1 ")));
  }
  for (const [status, answer] of Object.entries(found.responses ?? {})) {
    const schema = answer.content?.["application/json"]?.schema;
    if (Number(status) >= 300) continue;
    box.append(make("h3", `Answer ${status}${schema ? `, ${typeOf(schema)}` : ""}`));
    const known = fields(schema);
    if (known.length) box.append(rows(known, ["field", "type", "default", "meaning"]));
  }
  const errors = Object.keys(found.responses ?? {}).filter((status) => Number(status) >= 400);
  box.append(make("p", `Refusals, {"error": {"code", "message"}}: ${errors.join(", ")}`));
  return box;
}

const contents = document.getElementById("contents"), main = document.getElementById("routes");
const groups = new Map();
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, found] of Object.entries(methods)) {
    const tag = found.tags?.[0] ?? "other";
    if (!groups.has(tag)) groups.set(tag, []);
    groups.get(tag).push(operation(method, path, found));
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
  box.append(make("summary", name), rows(fields(schema), ["field", "type", "default", "meaning"]));
  main.append(box);
}
