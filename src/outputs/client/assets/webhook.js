/**
 * Verifies the signature of a webhook delivery (Standard Webhooks) with the Web Crypto of browsers
 * and Node.
 */

/** The delivery isn't signed by the service, or its timestamp is too old. */
export class NotGenuine extends Error {
  name = "NotGenuine";
}

/**
 * @param body exactly as received, before any parsing
 * @param secrets one, or several during a rotation
 * @returns the event in the body
 */
export async function verify(headers, body, secrets, { toleranceSeconds = 300, now = Date.now } = {}) {
  const read = (name) => (headers instanceof Headers ? headers.get(name) : headerOf(headers, name)) ?? "";
  const time = read("webhook-timestamp");
  if (!(Math.abs(now() / 1000 - Number(time || "x")) <= toleranceSeconds))
    throw new NotGenuine(time === "" ? "it has no webhook-timestamp" : "it wasn't sent just now");
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${read("webhook-id")}.${time}.${text}`);
  const signatures = read("webhook-signature")
    .split(" ")
    .flatMap((signature) => (signature.startsWith("v1,") ? (bytesOf(signature.slice(3)) ?? []) : []));
  for (const secret of [secrets].flat()) {
    const key = await keyOf(secret);
    for (const signature of signatures)
      if (await crypto.subtle.verify("HMAC", key, signature, signed))
        return eventIn(text, read("content-type"));
  }
  throw new NotGenuine("no signature of it is by this secret");
}

function headerOf(headers, name) {
  const found = Object.entries(headers).find(([header]) => header.toLowerCase() === name);
  return found && [found[1]].flat()[0];
}

function keyOf(secret) {
  const bytes = secret.startsWith("whsec_") ? bytesOf(secret.slice(6)) : new TextEncoder().encode(secret);
  if (!bytes) throw new TypeError("behind whsec_ the secret is base64");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function eventIn(text, type) {
  return /urlencoded/i.test(type) ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
}
