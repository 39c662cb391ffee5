/** JSON Schema 2020-12 as plain data: what types and rules contribute to exports. */
import type { Json } from "../support/json.ts";

export type JsonSchema = { readonly [keyword: string]: Json };
