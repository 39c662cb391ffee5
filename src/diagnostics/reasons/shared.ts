/** Reasons that codes of several parts share, by their common slug. */

export const sharedReasons = {
  unreadable:
    "The compiler does not know what the service should do here. A guess would give clients a behaviour that no author wrote.",
  "unknown-item":
    "An item with an unknown key would have no effect, and the service would run without what the author wrote in it.",
  "repeated-item":
    "Two values for one item are ambiguous. The server would follow one, and a reader might rely on the other.",
  "empty-item": "An empty value states nothing. `not shown` says so, and then the item is counted as a gap.",
  "unknown-column":
    "The cells of an unknown column would have no effect, and the service would run without what is written in them.",
  "other-table":
    "A table is read by the names of its columns. Without this column nothing in it reaches the service, which may not be what the author meant.",
  "unknown-heading":
    "A heading of this part starts a section of a known kind. Under any other heading, items and tables would have no effect.",
  "unknown-resource":
    "There are no records of a resource that the document does not declare, so nothing can refer to them.",
  "unknown-field":
    "The server stores only the fields that the document declares. Any other name would be read as null, or set nothing.",
  "unknown-code": "The client would receive an error code that has no status and no message.",
  "unknown-shape": "The server would not know which members to put into the body that the client receives.",
  "unknown-event": "An event that part 6 does not declare never occurs, so nothing would be sent or tested.",
  "unknown-transition":
    "The server can run only transitions that part 3 declares. Requests for any other would fail.",
  "unknown-state": "No record ever has a state that part 3 does not declare, so the rule would never apply.",
  "unknown-endpoint": "A rule for an endpoint that the document does not have would apply to no request.",
  "value-for-record":
    "A value is stored inside other records. It has no identifier, so the server can't find, list or change one of it.",
  "name-taken":
    "With two meanings for one name, an expression would read the wrong one, and its author would not notice.",
  "never-reached":
    "The server uses the first entry whose condition holds. It never reaches this one, so clients never receive it.",
} as const;

export type SharedSlug = keyof typeof sharedReasons;

/** The codes among `C` that need a reason of their own. */
export type OwnCode<C> = Exclude<keyof C, `${string}/${SharedSlug}`>;

/** A reason for each code. Codes with a shared slug may also have their own. */
export type ReasonsOf<C> = Readonly<Record<OwnCode<C>, string>> & Readonly<Partial<Record<keyof C, string>>>;
