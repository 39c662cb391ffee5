/** A request as code to paste: into a shell, and into a program. */
import type { Json } from "../../support/json.ts";
import { capturesIn, jsonOf, jsonText, piecesOf, plainString, type TextPiece } from "./scenario-text.ts";

/** A request with captures (`{{parcel}}`) in its texts. */
export interface RequestText {
  readonly method: string;
  /** Path and query, or one capture that is a complete address. */
  readonly target: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body?: string;
}

/**
 * The variable for the service's address in both languages, because no document says where it is
 * served.
 */
export const addressName = "API";

/** The comment line above each variable, with the variable's origin. */
export type VariableWords = (name: string) => string;

export function curlText(request: RequestText, wordsOf: VariableWords): string {
  const lines = [
    `curl ${request.method === "GET" ? "" : `-X ${request.method} `}${shellQuoted(targetPieces(request.target))}`,
    ...request.headers.map(
      ({ name, value }) => `-H ${shellQuoted([{ text: `${name}: ` }, ...piecesOf(value)])}`,
    ),
    ...(needsType(request) ? [`-H "Content-Type: application/json"`] : []),
    ...(request.body === undefined ? [] : [`-d ${bodyQuoted(request.body)}`]),
  ];
  return [...variableLines(request, "#", wordsOf), lines.join(" \\\n  ")].join("\n");
}

export function typescriptText(request: RequestText, wordsOf: VariableWords): string {
  const headers = [
    ...request.headers,
    ...(needsType(request) ? [{ name: "Content-Type", value: "application/json" }] : []),
  ];
  const options = [
    ...(request.method === "GET" ? [] : [`  method: ${JSON.stringify(request.method)},`]),
    ...(headers.length === 0
      ? []
      : [
          "  headers: {",
          ...headers.map(({ name, value }) => `    ${keyText(name)}: ${templateText(piecesOf(value))},`),
          "  },",
        ]),
    ...(request.body === undefined ? [] : [`  body: ${bodyExpression(request.body)},`]),
  ];
  const target = templateText(targetPieces(request.target));
  return [
    ...variableLines(request, "//", wordsOf),
    options.length === 0
      ? `const answer = await fetch(${target});`
      : `const answer = await fetch(${target}, {`,
    ...options,
    ...(options.length === 0 ? [] : ["});"]),
    `if (!answer.ok) throw new Error(\`\${answer.status} \${await answer.text()}\`);`,
  ].join("\n");
}

/** In scenarios a body without a type is JSON; other clients have to set it. */
function needsType({ headers, body }: RequestText): boolean {
  return body !== undefined && !headers.some((header) => header.name.toLowerCase() === "content-type");
}

/** A target that starts with a capture is a complete address. */
function targetPieces(target: string): readonly TextPiece[] {
  return target.startsWith("/") ? [{ variable: addressName }, ...piecesOf(target)] : piecesOf(target);
}

function variableLines(request: RequestText, mark: string, wordsOf: VariableWords): readonly string[] {
  const texts = [request.target, ...request.headers.map((header) => header.value), request.body ?? ""];
  return capturesIn(texts.join("\n")).map((name) => `${mark} ${variableText(name)}: ${wordsOf(name)}`);
}

function variableText(name: string): string {
  return name.replace(/\W+/g, "_").replace(/^(?=\d)/, "_");
}

// ── For the shell ───────────────────────────────────────────────────────────────────────────────

function shellQuoted(pieces: readonly TextPiece[]): string {
  const inner = pieces.map((piece) =>
    "variable" in piece ? shellVariable(piece.variable, pieces) : piece.text.replace(/[\\"$`]/g, "\\$&"),
  );
  return `"${inner.join("")}"`;
}

/** In braces if a letter follows it. */
function shellVariable(name: string, pieces: readonly TextPiece[]): string {
  const next = pieces[pieces.findIndex((piece) => "variable" in piece && piece.variable === name) + 1];
  const variable = variableText(name);
  return next && "text" in next && /^\w/.test(next.text) ? `\${${variable}}` : `$${variable}`;
}

function bodyQuoted(body: string): string {
  const json = jsonOf(body);
  const text = json === undefined ? body : jsonText(json);
  const inner = piecesOf(text).map((piece) =>
    "variable" in piece ? `'"$${variableText(piece.variable)}"'` : piece.text.replaceAll("'", `'\\''`),
  );
  return `'${inner.join("")}'`;
}

// ── For a program ───────────────────────────────────────────────────────────────────────────────

function templateText(pieces: readonly TextPiece[]): string {
  if (pieces.every((piece) => "text" in piece)) {
    return JSON.stringify(pieces.map((piece) => ("text" in piece ? piece.text : "")).join(""));
  }
  const [only] = pieces;
  if (pieces.length === 1 && only && "variable" in only) return variableText(only.variable);
  const inner = pieces.map((piece) =>
    "variable" in piece
      ? `\${${variableText(piece.variable)}}`
      : piece.text.replace(/[\\`]|\$(?=\{)/g, "\\$&"),
  );
  return `\`${inner.join("")}\``;
}

function bodyExpression(body: string): string {
  const json = jsonOf(body);
  return json === undefined ? templateText(piecesOf(body)) : `JSON.stringify(${valueText(json, "  ")})`;
}

function valueText(json: Json, indent: string): string {
  if (typeof json === "string")
    return templateText(json === "" ? [{ text: "" }] : piecesOf(plainString(json)));
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(json) ? "[]" : "{}";
  const members = Array.isArray(json)
    ? json.map((item) => valueText(item, inner))
    : Object.entries(json).map(([key, member]) => `${keyText(key)}: ${valueText(member as Json, inner)}`);
  const line = `${open}${members.length > 0 && !Array.isArray(json) ? ` ${members.join(", ")} ` : members.join(", ")}${close}`;
  if (!line.includes("\n") && indent.length + line.length <= 72) return line;
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join("")}${indent}${close}`;
}

function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
