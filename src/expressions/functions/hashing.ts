/** Digests and signatures of bytes, and comparison with stored secrets. */
import { createHash, createHmac } from "node:crypto";
import { type Type, types } from "../type.ts";
import type { Value } from "../value.ts";
import { type FunctionDefinition, signature } from "./definition.ts";

const { string, bytes, boolean } = types;

const algorithms = ["sha1", "sha256", "sha512"] as const;
const digests = [...algorithms, "md5"] as const;
const algorithm = { kind: "enum", values: algorithms } as const satisfies Type;

export const hashingFunctions: readonly FunctionDefinition[] = [
  {
    name: "hash",
    form: "function",
    deterministic: true,
    sentence:
      "The digest of bytes or of a text, as bytes: `sha1`, `sha256`, `sha512`, or for checksums `md5`.",
    example: `hex(hash("sha256", body.file))`,
    signatures: [bytes, string].map((of) =>
      signature([{ kind: "enum", values: digests }, of], bytes, digest),
    ),
  },
  {
    name: "hmac",
    form: "function",
    deterministic: true,
    sentence: "The signature (HMAC) of bytes or of a text with a key, as bytes.",
    example: `"sha256=" + hex(hmac("sha256", hook.secret, delivery.body))`,
    signatures: [bytes, string].flatMap((key) =>
      [bytes, string].map((of) => signature([algorithm, key, of], bytes, sign)),
    ),
  },
  {
    name: "verify",
    form: "function",
    deterministic: true,
    usesPorts: true,
    sentence: "Whether a text matches the stored password.",
    example: "verify(this.password, body.old_password)",
    signatures: [
      signature([{ kind: "password" }, string], boolean, ([stored, text], frame) =>
        frame.ports.verifyPassword(stored, text),
      ),
    ],
  },
  {
    // `this.key == body.key`: the stored value is a hash, so the other operand is hashed, too.
    name: "hash credential",
    form: "function",
    deterministic: true,
    usesPorts: true,
    internal: true,
    sentence: "The keyed hash under which a credential is stored.",
    example: "",
    signatures: [
      signature([string], { kind: "credential" }, ([text], frame) => frame.ports.hashCredential(text)),
    ],
  },
];

function digest([name, of]: readonly [string, string | Uint8Array]): Value {
  return isOneOf(digests, name) ? new Uint8Array(createHash(name).update(of).digest()) : null;
}

function sign([name, key, of]: readonly [string, string | Uint8Array, string | Uint8Array]): Value {
  return isOneOf(algorithms, name) ? new Uint8Array(createHmac(name, key).update(of).digest()) : null;
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
