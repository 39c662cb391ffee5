/** Digests and signatures of bytes, and the comparison of stored secrets. */
import { createHash, createHmac } from "node:crypto";
import { type Type, types } from "../type.ts";
import type { Value } from "../value.ts";
import type { FunctionDefinition } from "./definition.ts";

const { string, bytes, boolean } = types;

const algorithms = ["sha1", "sha256", "sha512"] as const;
const algorithm: Type = { kind: "enum", values: algorithms };

export const hashingFunctions: readonly FunctionDefinition[] = [
  {
    name: "hash",
    form: "function",
    deterministic: true,
    sentence: "The digest of bytes or of a text, as bytes: `sha1`, `sha256` or `sha512`.",
    example: `hex(hash("sha256", body.file))`,
    signatures: [bytes, string].map((of) => ({
      parameters: [algorithm, of],
      result: bytes,
      evaluate: digest,
    })),
  },
  {
    name: "hmac",
    form: "function",
    deterministic: true,
    sentence: "The signature (HMAC) of bytes or of a text with a key, as bytes.",
    example: `"sha256=" + hex(hmac("sha256", hook.secret, delivery.body))`,
    signatures: [bytes, string].flatMap((key) =>
      [bytes, string].map((of) => ({ parameters: [algorithm, key, of], result: bytes, evaluate: sign })),
    ),
  },
  {
    name: "verify",
    form: "function",
    deterministic: true,
    usesPorts: true,
    sentence: "Whether a text is the password that was stored.",
    example: "verify(this.password, body.old_password)",
    signatures: [
      {
        parameters: [{ kind: "password" }, string],
        result: boolean,
        evaluate: ([stored, text], frame) => frame.ports.verifyPassword(stored as string, text as string),
      },
    ],
  },
  {
    // `this.key == body.key`: what is stored is a hash, so the other side is hashed before they are compared.
    name: "hash credential",
    form: "function",
    deterministic: true,
    usesPorts: true,
    internal: true,
    sentence: "The keyed hash under which a credential is stored.",
    example: "",
    signatures: [
      {
        parameters: [string],
        result: { kind: "credential" },
        evaluate: ([text], frame) => frame.ports.hashCredential(text as string),
      },
    ],
  },
];

function digest([name, of]: readonly Value[]): Value {
  if (!isAlgorithm(name)) return null;
  return new Uint8Array(
    createHash(name)
      .update(of as string | Uint8Array)
      .digest(),
  );
}

function sign([name, key, of]: readonly Value[]): Value {
  if (!isAlgorithm(name)) return null;
  return new Uint8Array(
    createHmac(name, key as string | Uint8Array)
      .update(of as string | Uint8Array)
      .digest(),
  );
}

function isAlgorithm(name: Value | undefined): name is string {
  return (algorithms as readonly unknown[]).includes(name);
}
