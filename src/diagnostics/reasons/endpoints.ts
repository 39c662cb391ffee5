/** Why the diagnostics of part 4 are reported. */
import type { endpointsCodes } from "../codes/endpoints.ts";
import type { ReasonsOf } from "./shared.ts";

export const endpointsReasons: ReasonsOf<typeof endpointsCodes> = {
  "endpoints/unused-shape":
    "Clients never receive this shape. The place that was meant to return it returns something else, possibly more fields.",
  "endpoints/unread-block":
    "The compiler reads only `cel` blocks. The shape would be empty, and clients would receive no members.",
  "endpoints/item-of-shape": "A shape is one expression. An item under it would have no effect.",
  "endpoints/shape-without-record":
    "A shape reads the fields of a record. Here there is none, so the response could not be built.",
  "endpoints/shape-of-other":
    "The shape reads fields that this record does not have, so the response could not be built.",
  "endpoints/bad-shape-name":
    "The name is used in expressions, exports and generated clients, which allow no other characters.",
  "endpoints/shape-parameters":
    "The block of the shape reads its parameters by name, so each needs a name that means nothing else there.",
  "endpoints/duplicate-shape":
    "Parts 4, 6 and 7 refer to shapes by name. Clients would receive one of the two, and the author might mean the other.",
  "endpoints/shape-of-resource-name":
    "`Returns: 200 Book` could mean the shape or the representation of the resource, and clients would receive either.",
  "endpoints/shape-of-nothing":
    "The expression reads fields of a record, and nothing says of which resource it is.",
  "endpoints/shape-circle": "The response would contain itself and never end.",
  "endpoints/shape-too-large":
    "Each contained shape is read from the database for each record. So many would make every response slow.",
  "endpoints/replaces-allowed":
    "A caller whom the condition of the part would stop is allowed here, which the author may not expect.",
  "endpoints/unread-input":
    "Clients send this value and nothing happens. A filter that does not filter returns all records.",
  "endpoints/parent-not-looked-up":
    "Clients receive an empty list or a success for a parent that does not exist, and do not notice the mistake in the address.",
  "endpoints/upsert-not-found-again":
    "A client that repeats a request after a lost response creates a second record, which an upsert is there to prevent.",
  "endpoints/upsert-finds-nothing":
    "A client that repeats a request after a lost response creates a second record, which an upsert is there to prevent.",
  "endpoints/after-cascade":
    "Effects run after the deletion and what it cascades to, so the effect would silently change nothing.",
  "endpoints/type-not-read":
    "The server would accept a body of this type and find no inputs in it, so every such request would fail.",
  "endpoints/unknown-word": "The server would not know which of its behaviours the author means.",
  "endpoints/unknown-method":
    "Clients and proxies know a fixed list of methods. No request would ever reach this endpoint.",
  "endpoints/head":
    "HTTP requires that HEAD gives the same headers as GET. An endpoint of its own could contradict it.",
  "endpoints/bad-path":
    "The server compares the path of a request segment by segment. No request would match this one.",
  "endpoints/parameter-twice":
    "Expressions read a parameter by name. They would read one segment where the author means the other.",
  "endpoints/duplicate-heading": "A request matches one endpoint. The second would never receive any.",
  "endpoints/too-many":
    "The size of an endpoint is bounded, so that a hostile document can't slow down the server. Items after this one have no effect.",
  "endpoints/unused-path":
    "The record that the section looks up, and the callers that it rejects, apply to no request.",
  "endpoints/unused-parameter":
    "Clients receive the same response whatever they write in this segment, for example all books instead of those of one shelf.",
  "endpoints/misplaced-item":
    "Under this heading the item has no effect, and the server would run without it.",
  "endpoints/item-of-part": "The item would apply to one endpoint in the text and to all in the server.",
  "endpoints/senseless-item":
    "With this operation the server has nothing to apply the item to. Clients would rely on something that never happens.",
  "endpoints/like-circle":
    "Each endpoint would copy from the other without end, so neither has items of its own.",
  "endpoints/value-resource":
    "A value is stored inside other records. It has no identifier, so no request can act on one alone.",
  "endpoints/whose-transition": "The request would change a record of one resource or the other.",
  "endpoints/several-resources":
    "A request changes one record, whose state, errors and response clients rely on. With two resources, these would be ambiguous.",
  "endpoints/always-there":
    "Clients that wait for this response never receive it. For a missing record they receive the error of part 7.",
  "endpoints/unsafe":
    "A preloading browser, a crawler or a cache that refreshes itself changes data without any user.",
  "endpoints/never-set":
    "The server rejects each new record, because a required value is missing and the client has no way to send it.",
  "endpoints/where-without-is": "The condition selects a record, and nothing says of which resource.",
  "endpoints/picks-nothing":
    "The server would not know which record a request is about, and would act on any.",
  "endpoints/no-single-identifier":
    "The value in the path fits several records, and the server would act on any of them.",
  "endpoints/records-of-one-name":
    "An expression that reads this name could read the record of either path. A check of access could then be made on the wrong one.",
  "endpoints/which-reference":
    "The server would list, or create, records by a reference that the author did not mean.",
  "endpoints/no-fields":
    "Without a resource the input has no type, so the server could not validate what a client sends.",
  "endpoints/field-not-taken":
    "The server sets this field itself, or never changes it. A value that a client sends would be lost.",
  "endpoints/optional-required":
    "A request without the value is accepted by the endpoint and rejected by the record, so the client sees an error for a valid request.",
  "endpoints/nothing-made":
    "The rule applies when a record is created. Here none is, so the server would never require the value.",
  "endpoints/body-on-get": "Browsers and proxies drop the body of a GET, so the input would never arrive.",
  "endpoints/body-is-one":
    "A body that is one value has no members, so the server would find no other input in it.",
  "endpoints/file-not-sent":
    "Only a multipart body can carry a file with its name and type. In any other the server would find none.",
  "endpoints/filter-without-list":
    "A filter selects records of a list. Here there is none, so it would have no effect.",
  "endpoints/not-comparable":
    "A query parameter is one text. Compared with a list or an object it would never match.",
  "endpoints/input-twice":
    "A request has one value of this name. The server would use it for one of the two inputs.",
  "endpoints/no-input-column":
    "Inputs are read by the names of the columns. The server would accept none of these.",
  "endpoints/no-place": "The server would not know where in the request to look for the value.",
  "endpoints/unknown-parameter":
    "The path has no segment of this name, so the value would always be missing.",
  "endpoints/input-without-type": "The server could not validate what a client sends.",
  "endpoints/type-and-field": "The server would validate by one type and store by the other.",
  "endpoints/separator-of-single":
    "The server splits a list at its separator. A single value that contains the separator would be split unexpectedly.",
  "endpoints/unknown-input":
    "No request has this input, so the error would never name a place that the client can correct.",
  "endpoints/no-key-input":
    "Without the key the server can't recognise a repeated request, and would do the work twice.",
  "endpoints/anyone-and-others":
    "A reader of `anyone` expects that the endpoint is public, but callers without a credential receive 401.",
  "endpoints/anyone-beneath-others":
    "A reader of `anyone` expects that the endpoint is public, but callers without a credential receive 401.",
  "endpoints/too-early":
    "Access is decided before the server reads the body or the inputs, so that a stranger can't make it work. The value does not exist yet.",
  "endpoints/hidden-field":
    "By the order of the records, or by their number, a client could find out the hidden value.",
  "endpoints/not-ordered":
    "The database can't sort by such values, so pages would have no fixed order and records could be missed.",
  "endpoints/constant-order":
    "The list would be in the same order whatever a request names, without an error.",
  "endpoints/unknown-role":
    "The server would not know what the parameter controls, so clients could not request the next page.",
  "endpoints/missing-role": "Clients could read the first page and would have no way to request the next.",
  "endpoints/role-twice": "One parameter can't control two things. Clients could not request the next page.",
  "endpoints/next-page-unknown":
    "A cursor is opaque. Without it in a response, a client sees the first page and can never read the rest.",
  "endpoints/unknown-page": "The server would not know what to put around the items of a page.",
  "endpoints/page-of-what": "The server would build a page without knowing what its items look like.",
  "endpoints/nothing-listed": "There are no records to list, so the response could not be built.",
  "endpoints/list-answered-as-one": "Clients would receive one record where the endpoint selects many.",
  "endpoints/answer-without-body":
    "HTTP forbids a body with this status. Clients would take its bytes for the next response on the connection.",
  "endpoints/no-answer-left":
    "When no condition holds, the change is made and the client receives a failure.",
  "endpoints/list-body-answer":
    "A request with a list makes several records. A response about one of them would hide the others.",
  "endpoints/list-body":
    "Each element of the list is handled like a request of its own. What belongs to the request as a whole can't depend on one of them.",
  "endpoints/framing-header":
    "The header says where a message ends. A wrong value would garble this and all later responses of the connection.",
  "endpoints/header-not-text": "A header is one line of text. The server could not write this value into it.",
  "endpoints/unknown-scheme":
    "No credential could be checked against a scheme that part 5 does not declare, so every request would be rejected.",
  "endpoints/set-circle": "Each value needs the other first, so creating a record would never end.",
  "endpoints/silent-does": "Without an operation the server can do nothing with a request.",
  "endpoints/silent-returns":
    "The server could change data but not say what the client receives, so it does neither.",
  "endpoints/silent-sends": "A stream without events would stay open and silent.",
};
