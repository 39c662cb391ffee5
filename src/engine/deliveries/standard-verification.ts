/**
 * Signature verification of webhooks, as the libraries of Standard Webhooks do it: all three
 * headers, the time, and the bytes.
 */
import { timingSafeEqual } from "node:crypto";
import { standardSignature } from "./signature.ts";

/**
 * Maximum difference between the webhook's time and the receiver's, in seconds, before and after.
 */
const toleranceSeconds = 300;

/** @param header returns the value of a header; null if it is missing or was sent twice */
export function isSigned(
  secret: string,
  header: (name: string) => string | null,
  text: string,
  nowMs: number,
): boolean {
  const [id, time, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(header);
  if (!id || !time || !signatures || !/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(Math.floor(nowMs / 1000) - Number(time)) > toleranceSeconds) return false;
  const right = standardSignature([secret], id, Number(time), text);
  if (right === undefined) return false;
  // One valid signature is enough: during a rotation, both secrets are valid.
  return signatures.split(" ").some((candidate) => {
    const [sent, wanted] = [Buffer.from(candidate), Buffer.from(right)];
    return sent.byteLength === wanted.byteLength && timingSafeEqual(sent, wanted);
  });
}
