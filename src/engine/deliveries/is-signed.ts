/** Judges the signature of a webhook as the libraries of Standard Webhooks do: all three headers, the time, the bytes. */
import { timingSafeEqual } from "node:crypto";
import { standardSignature } from "./signature.ts";

/** How far the time of a webhook may be from the receiver's, in seconds, before and after. */
const toleranceSeconds = 300;

/** @param header the value of a header; null if it is missing, or was sent twice */
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
  // One of several is enough: secrets are changed while both are good.
  return signatures.split(" ").some((candidate) => {
    const [sent, wanted] = [Buffer.from(candidate), Buffer.from(right)];
    return sent.byteLength === wanted.byteLength && timingSafeEqual(sent, wanted);
  });
}
