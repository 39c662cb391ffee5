/** Part 5 in the model: schemes and where their credentials are sent. */
import type { Expression } from "../../expressions/node.ts";
import type { Type } from "../../expressions/type.ts";
import type { Position } from "../../source/source.ts";
import type { Gap } from "./gaps.ts";

export interface Authentication {
  /** `Scheme: none`: every caller counts as `anyone`. */
  readonly none: boolean;
  readonly schemes: readonly Scheme[];
  /** Scheme, credentials or placement are not stated, so the service is only available on loopback. */
  readonly gap?: Gap;
  /**
   * The type of `caller` with any scheme; `any` if they differ. `caller-type.ts` gives it for an
   * endpoint.
   */
  readonly caller: Type;
}

export interface Scheme {
  readonly name: string;
  readonly position: Position;
  /** The type of `caller` with this scheme. Absent if unknown. */
  readonly callerType?: Type;
  readonly placement?: Placement;
  readonly credentials?: {
    readonly resource: string;
    /** The fields by which the credential is looked up. Two for `basic` with two fields. */
    readonly by: readonly string[];
    /** `for user`: `caller` is the record that this reference leads to, and `credential` the record that was found. */
    readonly for?: string;
    readonly fromClaim?: string;
    readonly position: Position;
  };
  readonly caller?: Expression;
  readonly realm?: string;
  readonly signature?: { readonly header: string; readonly value: Expression; readonly position: Position };
  readonly signedWith?:
    | { readonly algorithm: string; readonly secretEnv: string; readonly position: Position }
    | { readonly algorithm: string; readonly keysAt: string; readonly position: Position };
  /** Position of `Signed with`, whatever its value. */
  readonly signedAt?: Position;
  readonly issuer?: string;
  readonly audience?: string;
  readonly lifetimeMs?: number;
  /**
   * A token ends when one of these fields of its record changes. Empty: never. Absent if silent.
   */
  readonly endsWith?: { readonly fields: readonly string[]; readonly position: Position };
  readonly gap?: Gap;
}

export type Placement =
  | {
      readonly kind: "header";
      readonly name: string;
      readonly prefixes: readonly string[];
      /** `parameter Token`: the credential is the value of this parameter of the header. */
      readonly parameter?: string;
      readonly position: Position;
    }
  | { readonly kind: "query" | "cookie"; readonly name: string; readonly position: Position }
  | {
      readonly kind: "basic";
      readonly parts: readonly ("user" | "password")[];
      /** Both parts are form-encoded before base64 (RFC 6749, section 2.3.1). */
      readonly formEncoded?: true;
      readonly position: Position;
    };
