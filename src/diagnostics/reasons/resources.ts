/** Why the diagnostics of part 2 are reported. */
import type { resourcesCodes } from "../codes/resources.ts";
import type { ReasonsOf } from "./shared.ts";

export const resourcesReasons: ReasonsOf<typeof resourcesCodes> = {
  "resources/unsound-name":
    "The name is used in expressions, exports and generated clients, which allow no other characters.",
  "resources/small-resource-name":
    "In expressions `Book` means all records and `book` one of them. With a small letter, the two could not be distinguished.",
  "resources/name-clash":
    "Expressions would read the record where the author means the other thing of this name, or the reverse.",
  "resources/duplicate-resource":
    "Each section would describe a part of the fields, and clients could rely on either.",
  "resources/duplicate-field":
    "The two rows can differ in type and rules. The server would validate by one of them, and clients might follow the other.",
  "resources/field-without-name":
    "The field would be neither stored nor returned, though the row says that it exists.",
  "resources/stray-table": "Nothing says whose fields these are, so the server would store none of them.",
  "resources/item-of-value":
    "The item works on stored records of their own. A value is stored inside others, so the rule would never be applied.",
  "resources/sent-twice":
    "An object has one value of each name. Clients would send or receive one of the two, and the other would be lost.",
  "resources/field-twice":
    "The second has no effect. It may have been meant to be another field, which would then be missing from the rule.",
  "resources/unknown-type": "The server could not validate, store or sort the values of this field.",
  "resources/type-too-deep":
    "Validation and exports are bounded in depth, and clients can hardly work with lists in lists in lists.",
  "resources/type-not-in-choice":
    "The server distinguishes the types of a choice by the JSON value that a client sends. For this type it could not.",
  "resources/type-not-in-many":
    "Each element needs a declared shape, so that the server can validate it and exports can name it.",
  "resources/repeated-choice":
    "The second has no effect. It may have been meant to be another value, which the server would then reject.",
  "resources/identifier-type":
    "Each new record would get an identifier that its own type rejects, so no record could be created.",
  "resources/state-field-type":
    "Part 3 lists the values of the state field. Another type would accept values that are not states.",
  "resources/other-state-field":
    "A record has one state. Transitions would never change this second field, so it would keep its first value for ever.",
  "resources/no-state-machine": "The field would have no values at all, so no record could be created.",
  "resources/secret-inside":
    "The server hashes secrets in columns of their own. Inside an object the secret would be stored and returned in plain text.",
  "resources/part-without-field":
    "The server would not know whether the object is one value or a list, or whether it is required.",
  "resources/part-of-other-type":
    "A value of this type has no members, so nothing could ever be stored in the part.",
  "resources/part-brackets":
    "Brackets mean each element of a list. In a single object the server would find none.",
  "resources/too-many-fields":
    "Each field is a column, a check and a member of the schema. So many exceed what databases and clients can handle.",
  "resources/object-without-parts":
    "An object without members can store nothing. Clients would send values that the server rejects.",
  "resources/unknown-rule":
    "The server would not check what the author meant, and would store values that break the rule.",
  "resources/rule-misfit":
    "The rule could not be checked for values of this type, so invalid values would be stored.",
  "resources/rules-contradict":
    "No value can satisfy both rules, or the server could apply only one of them.",
  "resources/repeated-rule": "The server would apply one of the two, and clients might follow the other.",
  "resources/bounds-reversed":
    "No value is between the bounds, so the server would reject every request that sets the field.",
  "resources/pattern-too-long":
    "Patterns are compiled and matched with bounded memory, so that a request can't slow down the server.",
  "resources/broken-pattern":
    "The server could match nothing against it. RE2 is required, because its time grows only with the length of a text.",
  "resources/bare-choice":
    "The name is read as a field or record. Each new record would get another value, or creating one would fail.",
  "resources/refused-default":
    "The server validates defaults, too. Each request that leaves the field out would be rejected for a value that the client did not send.",
  "resources/refused-value":
    "The server checks what it sets itself, too. Requests that set the field would be answered with 500, always or by chance.",
  "resources/computed-unchecked":
    "The server validates what clients send, and not what an expression computes. A client that trusts the type could fail, and a database that stores the type could reject the query.",
  "resources/part-default-stored":
    "When the default is set, no stored record has been read yet, so the expression could not be evaluated.",
  "resources/not-comparable":
    "The database compares single values in an index. It can't compare lists, objects or secrets in this way.",
  "resources/not-a-stored-timestamp":
    "The server finds due work by an index on a stored time. It could not find the records whose time has come.",
  "resources/computed-circle": "Each value needs the other first, so reading the record would never end.",
  "resources/fill-circle": "Each value needs the other first, so creating a record would never end.",
  "resources/second-block":
    "A field is computed by one expression. Clients would receive the value of either.",
  "resources/records-lack-field":
    "The server validates the first records of a store. It would not start with these.",
  "resources/records-column":
    "A document is read by many people and kept in version control. All of them could read a secret in it.",
  "resources/record-value":
    "The server validates the first records of a store. It would not start with this one.",
  "resources/record-reference":
    "The reference would lead to no record, and the server would not start with it.",
  "resources/duplicate-record":
    "Two records can't have the same identifier, or the same unique value. Only one of the rows could be stored.",
  "resources/deep-reference":
    "`on delete` is applied to the references that are found. A deeper one would stay, and lead to no record.",
  "resources/record-refused":
    "The server validates the first records of a store. It would not start with this one.",
};
