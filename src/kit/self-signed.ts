/**
 * Self-signed certificate for a sandbox with TLS, valid for this machine only. Node creates keys
 * and signatures but no certificates, so this file writes the few fields as DER (X.690).
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface SelfSigned {
  /** The certificate as PEM. */
  readonly cert: string;
  readonly key: string;
}

const oneDayMs = 86_400_000;

/** Valid from one day before now, for ten years. @param nowMs real time */
export function selfSigned(nowMs: number): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(oid("1.2.840.10045.4.3.2"));
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]);
  // Clients find authorities by name, so each certificate has its own.
  const title = `Ninefold sandbox ${serial.toString("hex")}`;
  const name = sequence(set(sequence(oid("2.5.4.3"), tagged(0x0c, Buffer.from(title)))));
  const alternatives = sequence(
    tagged(0x82, Buffer.from("localhost")),
    tagged(0x87, Buffer.from([127, 0, 0, 1])),
    tagged(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])),
  );
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, serial),
    algorithm,
    name,
    sequence(time(nowMs - oneDayMs), time(nowMs + 3650 * oneDayMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0xa3,
      sequence(
        // CA: true, because clients trust the certificate as an authority.
        sequence(
          oid("2.5.29.19"),
          tagged(0x01, Buffer.from([0xff])),
          octets(sequence(tagged(0x01, Buffer.from([0xff])))),
        ),
        sequence(oid("2.5.29.17"), octets(alternatives)),
      ),
    ),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, algorithm, bits(signature));
  return {
    cert: pem("CERTIFICATE", certificate),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function tagged(tag: number, content: Uint8Array): Buffer {
  const { byteLength } = content;
  const length =
    byteLength < 0x80
      ? [byteLength]
      : byteLength < 0x100
        ? [0x81, byteLength]
        : [0x82, byteLength >> 8, byteLength & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function set(part: Uint8Array): Buffer {
  return tagged(0x31, part);
}

function octets(content: Uint8Array): Buffer {
  return tagged(0x04, content);
}

/** A bit string without unused bits. */
function bits(content: Uint8Array): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([0]), content]));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split(".").map(Number);
  const bytes = [40 * first + second, ...others.flatMap(base128)];
  return tagged(0x06, Buffer.from(bytes));
}

/** Base-128 encoding: all bytes except the last have the highest bit set. */
function base128(value: number): readonly number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** A GeneralizedTime, to the second. */
function time(ms: number): Buffer {
  return tagged(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14)}Z`));
}

function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
