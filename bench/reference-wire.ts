/** Requests and responses of the hand-written services, the same on every database. */
import { createHash } from "node:crypto";

export interface ParcelRow {
  readonly row: number;
  readonly id: string;
  readonly recipient: string;
  readonly address: string;
  readonly weight_grams: number;
  readonly reference: string | null;
  readonly status: string;
  readonly created_at: string;
  readonly collected_at: string | null;
}

export interface NewParcel {
  readonly recipient: string;
  readonly address: { readonly line: string; readonly city: string; readonly country: string };
  readonly weight_grams: number;
  readonly reference?: string;
}

const addressSchema = {
  type: "object",
  additionalProperties: false,
  required: ["line", "city", "country"],
  properties: {
    line: { type: "string", minLength: 1, maxLength: 200 },
    city: { type: "string", minLength: 1, maxLength: 80 },
    country: { type: "string", pattern: "^[A-Z]{2}$" },
  },
};

export const parcelSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    recipient: { type: "string" },
    address: {
      type: "object",
      properties: { line: { type: "string" }, city: { type: "string" }, country: { type: "string" } },
    },
    weight_grams: { type: "integer" },
    price: { type: "integer" },
    reference: { type: ["string", "null"] },
    status: { type: "string" },
    created_at: { type: "string" },
    collected_at: { type: ["string", "null"] },
  },
};

export const bodySchema = {
  type: "object",
  additionalProperties: false,
  required: ["recipient", "address", "weight_grams"],
  properties: {
    recipient: { type: "string", minLength: 1, maxLength: 120 },
    address: addressSchema,
    weight_grams: { type: "integer", minimum: 1, maximum: 30_000 },
    reference: { type: "string", minLength: 1, maxLength: 64 },
  },
};

export const pageSchema = {
  type: "object",
  properties: {
    data: { type: "array", items: parcelSchema },
    has_more: { type: "boolean" },
    next: { type: ["string", "null"] },
  },
};

export function shown(parcel: ParcelRow): object {
  return {
    id: parcel.id,
    recipient: parcel.recipient,
    address: JSON.parse(parcel.address),
    weight_grams: parcel.weight_grams,
    price: 490 + Math.floor((parcel.weight_grams * 15) / 100),
    reference: parcel.reference,
    status: parcel.status,
    created_at: parcel.created_at,
    collected_at: parcel.collected_at,
  };
}

export const querySchema = {
  type: "object",
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    after: { type: "string", maxLength: 32 },
  },
};

export const problem = (code: string, message: string): object => ({ error: { code, message } });

export const hashOf = (key: string): string => createHash("sha256").update(key).digest("base64url");
