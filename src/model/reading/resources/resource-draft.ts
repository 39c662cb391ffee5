/** A resource as its heading and items state it, before its fields are bound. */
import type { DeclaredResource } from "../declarations.ts";
import type { IdentifierDraft } from "./identifier.ts";
import type { ResourceItems } from "./resource-items.ts";
import type { ResourceSection } from "./resource-sections.ts";
import type { FieldDraft } from "./field-draft.ts";

export interface ResourceDraft extends ResourceSection {
  readonly items: ResourceItems;
  readonly identifier: IdentifierDraft;
  readonly fields: Map<string, FieldDraft>;
  readonly declared: DeclaredResource;
}
