/**
 * The function by which a receiver of webhooks verifies deliveries, generated from part 6's
 * signature: Standard Webhooks, or a header composed of texts, the time and an HMAC. For any other
 * header there is none, and the page shows its expression.
 */
import type { Node } from "../../expressions/node.ts";
import type { EventsPart, HeaderItem } from "../../model/model.ts";

/** Undefined if nothing is signed, or if a few lines can't verify the signature. */
export function verificationCode(events: EventsPart): string | undefined {
  if (events.signature) return standardCode;
  for (const header of events.headers) {
    const code = headerCode(header);
    if (code !== undefined) return code;
  }
  return undefined;
}

const opening = `import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether a delivery is genuine. \`body\` is its body exactly as received, before any parsing. */
export function isGenuine(headers: Headers, body: string, secret: string): boolean {`;

const fresh = `  // Older than five minutes: this may be a replay of a recorded delivery.
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false;`;

const standardCode = `${opening}
  const id = headers.get("webhook-id") ?? "";
  const time = headers.get("webhook-timestamp") ?? "";
${fresh}
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  const expected = createHmac("sha256", key).update(\`\${id}.\${time}.\${body}\`).digest();
  // There are several signatures while one secret takes over from another.
  return (headers.get("webhook-signature") ?? "").split(" ").some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`;

// ── Headers of the document's own ───────────────────────────────────────────────────────────────

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "time" | "body" }
  | {
      readonly kind: "hmac";
      readonly hash: string;
      readonly encoding: "hex" | "base64" | "base64url";
      readonly of: readonly Piece[];
    };

function headerCode({ name, value }: HeaderItem): string | undefined {
  const pieces = piecesOf(value.node);
  const signatures = pieces?.filter((piece) => piece.kind === "hmac") ?? [];
  const [signature] = signatures;
  // The receiver must have everything signed: the body, and a time that the header itself contains.
  if (!pieces || !signature || signatures.length > 1 || !signature.of.some((piece) => piece.kind === "body"))
    return undefined;
  const timed = pieces.some((piece) => piece.kind === "time");
  if (
    pieces.some((piece) => piece.kind === "body") ||
    (!timed && signature.of.some((piece) => piece.kind === "time"))
  )
    return undefined;
  const groups = pieces.flatMap((piece) =>
    piece.kind === "time" ? [`time = ""`] : piece.kind === "hmac" ? [`given = ""`] : [],
  );
  return `${opening}
  const sent = headers.get(${JSON.stringify(name)}) ?? "";
  const [, ${groups.join(", ")}] = /^${pieces.map(patternOf).join("")}$/.exec(sent) ?? [];
${timed ? `${fresh}\n` : ""}  const expected = createHmac(${JSON.stringify(signature.hash)}, secret).update(${signedText(signature.of)}).digest(${JSON.stringify(signature.encoding)});
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
`;
}

function patternOf(piece: Piece): string {
  switch (piece.kind) {
    case "text":
      return piece.text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    case "time":
      return "(\\d+)";
    case "hmac":
      return piece.encoding === "hex"
        ? "([0-9a-f]+)"
        : piece.encoding === "base64"
          ? "([A-Za-z0-9+\\/=]+)"
          : "([\\w-]+)";
    case "body":
      return "";
  }
}

function signedText(pieces: readonly Piece[]): string {
  if (pieces.length === 1 && pieces[0]?.kind === "body") return "body";
  const inner = pieces.map((piece) =>
    piece.kind === "text" ? piece.text.replace(/[\\`]|\$(?=\{)/g, "\\$&") : `\${${piece.kind}}`,
  );
  return `\`${inner.join("")}\``;
}

/** The texts that an expression concatenates, if it does nothing else. */
function piecesOf(node: Node): readonly Piece[] | undefined {
  if (node.op === "literal" && typeof node.value === "string") return [{ kind: "text", text: node.value }];
  if (node.op === "binary" && node.operator === "+") {
    const [left, right] = [piecesOf(node.left), piecesOf(node.right)];
    return left && right && [...left, ...right];
  }
  if (isDelivery(node, "body")) return [{ kind: "body" }];
  if (node.op !== "call") return undefined;
  const [argument] = node.args;
  if (!argument) return undefined;
  if (
    node.function === "string" &&
    argument.op === "call" &&
    argument.function === "int" &&
    isDelivery(argument.args[0], "time")
  ) {
    return [{ kind: "time" }];
  }
  const { function: encoding } = node;
  if (encoding !== "hex" && encoding !== "base64" && encoding !== "base64url") return undefined;
  return hmacOf(argument, encoding);
}

function hmacOf(node: Node, encoding: "hex" | "base64" | "base64url"): readonly Piece[] | undefined {
  if (node.op !== "call" || node.function !== "hmac") return undefined;
  const [hash, , signed] = node.args;
  const of = signed && piecesOf(signed);
  if (
    hash?.op !== "literal" ||
    typeof hash.value !== "string" ||
    !of ||
    of.some((piece) => piece.kind === "hmac")
  )
    return undefined;
  return [{ kind: "hmac", hash: hash.value, encoding, of }];
}

function isDelivery(node: Node | undefined, name: string): boolean {
  return node?.op === "field" && node.name === name && node.of.op === "fixed" && node.of.name === "delivery";
}
