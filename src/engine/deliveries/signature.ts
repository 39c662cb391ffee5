/**
 * Webhook signatures of Standard Webhooks: signs the id, the time of the attempt and the body's
 * exact bytes. Several secrets give several signatures, so that receivers may change secrets while
 * both are valid.
 */
import { createHmac, createPrivateKey, sign } from "node:crypto";

/** The bytes of a PKCS #8 envelope before an Ed25519 seed. */
const ed25519Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

/** Returns the signature header; undefined if a secret can't sign. */
export function standardSignature(
  secrets: readonly string[],
  id: string,
  timestampSeconds: number,
  body: string,
): string | undefined {
  const signed = `${id}.${timestampSeconds}.${body}`;
  const signatures = secrets.map((secret) => signatureWith(secret, signed));
  return signatures.length === 0 || signatures.includes(undefined) ? undefined : signatures.join(" ");
}

/**
 * Signs with a secret. `whsec_…` and `whsk_…` have their key in base64; any other text is the key
 * itself.
 */
function signatureWith(secret: string, signed: string): string | undefined {
  if (secret.startsWith("whsk_")) {
    const seed = Buffer.from(secret.slice(5), "base64").subarray(0, 32);
    if (seed.byteLength !== 32) return undefined;
    const key = createPrivateKey({ key: Buffer.concat([ed25519Prefix, seed]), format: "der", type: "pkcs8" });
    return `v1a,${sign(null, Buffer.from(signed), key).toString("base64")}`;
  }
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  if (key.byteLength === 0) return undefined;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
