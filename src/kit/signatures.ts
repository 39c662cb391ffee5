/**
 * Webhook signatures of vendors, each verified like the vendor's own library: with the secret, the
 * exact bytes, and the time if it is signed.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { isSigned } from "../engine/deliveries/standard-verification.ts";

/** A webhook with the parts that signatures cover. */
export interface SignedWebhook {
  /** The value of a header by lower-case name; null if it is missing or was sent twice. */
  readonly header: (name: string) => string | null;
  readonly text: string;
  /** The URL that the webhook was sent to. */
  readonly url: string;
}

/** @param nowMs real time */
export type IsSignatureValid = (webhook: SignedWebhook, secret: string, nowMs: number) => boolean;

export const signatures = {
  standard: ({ header, text }, secret, nowMs) => isSigned(secret, header, text, nowMs),
  svix: ({ header, text }, secret, nowMs) =>
    isSigned(secret, (name) => header(name.replace("webhook-", "svix-")), text, nowMs),
  stripe({ header, text }, secret, nowMs) {
    const parts = (header("stripe-signature") ?? "").split(",").map((part) => part.split("=", 2));
    const time = parts.find(([name]) => name === "t")?.[1];
    if (!isRecent(time, nowMs)) return false;
    const right = hmac("sha256", secret, `${time}.${text}`, "hex");
    return parts.some(([name, value]) => name === "v1" && isSame(value ?? null, right));
  },
  github: ({ header, text }, secret) =>
    isSame(header("x-hub-signature-256"), `sha256=${hmac("sha256", secret, text, "hex")}`),
  slack({ header, text }, secret, nowMs) {
    const time = header("x-slack-request-timestamp");
    return (
      isRecent(time, nowMs) &&
      isSame(header("x-slack-signature"), `v0=${hmac("sha256", secret, `v0:${time}:${text}`, "hex")}`)
    );
  },
  shopify: ({ header, text }, secret) =>
    isSame(header("x-shopify-hmac-sha256"), hmac("sha256", secret, text, "base64")),
  twilio({ header, text, url }, secret) {
    const isForm = (header("content-type") ?? "").startsWith("application/x-www-form-urlencoded");
    const fields = isForm ? [...new URLSearchParams(text)].toSorted(([a], [b]) => (a < b ? -1 : 1)) : [];
    return isSame(header("x-twilio-signature"), hmac("sha1", secret, url + fields.flat().join(""), "base64"));
  },
} as const satisfies Readonly<Record<string, IsSignatureValid>>;

export type SignatureScheme = keyof typeof signatures;

/** The tolerance of signed times in seconds, as in the vendors' libraries. */
const toleranceSeconds = 300;

function isRecent(time: string | null | undefined, nowMs: number): boolean {
  return /^\d{1,12}$/.test(time ?? "") && Math.abs(nowMs / 1000 - Number(time)) <= toleranceSeconds;
}

function hmac(hash: "sha1" | "sha256", secret: string, text: string, encoding: "hex" | "base64"): string {
  return createHmac(hash, secret).update(text).digest(encoding);
}

function isSame(sent: string | null, right: string): boolean {
  const [a, b] = [Buffer.from(sent ?? ""), Buffer.from(right)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
