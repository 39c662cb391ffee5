/** The functions of `openid.md`: keys on the curve P-256, their public halves, signed tokens, and texts in HTML. Typed from the document by `ninefold types`. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import type { Functions } from "./openid.types.ts";

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Seconds that an ID token is valid. */
const lifetime = 3600;

export const functions: Functions = {
  newKey() {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  },
  publicKey(kid, pem) {
    const { x = "", y = "" } = createPublicKey(pem).export({ format: "jwk" });
    return { kty: "EC", use: "sig", alg: "ES256", kid, crv: "P-256", x, y };
  },
  signed(kid, pem, issuedAt, claims) {
    const iat = Math.floor(Date.parse(issuedAt) / 1000);
    const times = { iat, exp: iat + lifetime };
    const text = `${part({ alg: "ES256", kid })}.${part({ ...(claims as object), ...times })}`;
    const key = createPrivateKey(pem);
    return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
  },
  escaped: (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`),
};
