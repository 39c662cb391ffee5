/**
 * The rules of a published differ of OpenAPI documents (oasdiff, checker/rules.go of 2026) and
 * ours. Each has its level and names, with `{a,b}` for alternatives. Next to it is our
 * corresponding rule, or the reason why there is none or why it differs. Left out are its rules
 * about deprecation, sunset, stability, tags, `info.version` and extensions, which the comparison
 * does not have.
 */

const noKeyword = "no field type, rule or input has this keyword";
const longer = "a client fails only if it checks the bound or form itself, so it may fail: careful";
const alternatives = "the alternatives themselves are compared; a discriminator repeats what they say";
const notSent = "a field that callers do not send is not an input";
const writeOnly = "a field that is not in answers is not compared in them";
const scopes = "callers are allowed by conditions: access-narrowed and access-widened compare them";
const defaults = "a caller that leaves the input out gets something else: careful";
const ownSchema = "each media type has a schema";
const names = "names of schemas and operations are not on the wire";
const media = "a media type under another name counts as removed, because clients compare names";
const noHeaderParts = "headers have no properties";
const requestFlips =
  "an input is read-only or write-only by whether the endpoint takes it: input-added, input-refused";
const answerFlips = "a field is in answers or not: answer-field-added, answer-field-removed";
const components = "a scheme of part 5 is what endpoints use: its removal or change breaks their callers";
const generalized = "patterns are not compared by what they match: input-pattern-changed";

/** `level names = rule`, or `level names : why`. */
export const oasdiffRules = `
INFO endpoint-added = operation-added
ERR api-path-removed-without-deprecation = operation-removed
ERR api-removed-without-deprecation = operation-removed
INFO api-operation-id-{removed,added} : ${names}
INFO api-schema-removed : ${names}
INFO webhook-added = event-added
ERR webhook-removed = event-removed

INFO api-security-component-added = scheme-added
INFO api-security-component-removed : ${components}
INFO api-security-component-{oauth-url,type,oauth-token-url}-updated : ${components}
INFO api-security-component-oauth-scope-{added,removed,updated} : ${scopes}
ERR api-security-removed = access-narrowed
INFO api-security-added = scheme-added
ERR api-security-scope-added : ${scopes}
INFO api-security-scope-removed : ${scopes}
ERR api-global-security-removed = access-narrowed
INFO api-global-security-added = scheme-added
ERR api-global-security-scope-added : ${scopes}
INFO api-global-security-scope-removed : ${scopes}

ERR request-body-added-required = body-required
INFO request-body-added-optional = input-added
ERR request-body-became-required = body-required
INFO request-body-became-optional = input-optional
ERR request-body-removed : an endpoint without inputs does not read the body that old clients send: careful
INFO request-body-media-type-added = request-media-type-added
ERR request-body-media-type-removed = request-media-type-removed
ERR request-body-media-type-{schema,item-schema}-added : ${ownSchema}
INFO request-body-media-type-{schema,item-schema}-removed : ${ownSchema}
INFO response-body-media-type-{schema,item-schema}-added : ${ownSchema}
ERR response-body-media-type-{schema,item-schema}-removed : ${ownSchema}
ERR response-body-media-type-item-schema-removed-untyped : ${ownSchema}

ERR new-required-request-parameter = input-required
INFO new-optional-request-parameter = input-added
ERR new-required-request-default-parameter-to-existing-path = input-required
INFO new-optional-request-default-parameter-to-existing-path = input-added
ERR new-request-path-parameter = operation-removed
WARN request-parameter-removed = input-removed
ERR request-parameter-became-required = input-required
INFO request-parameter-became-optional = input-optional
ERR new-required-request-header-property : ${noHeaderParts}
ERR request-header-property-became-{enum,required} : ${noHeaderParts}
INFO request-parameter{,-property}-became-nullable = input-nullable
ERR request-parameter{,-property}-became-not-nullable = input-not-nullable
INFO request-parameter-default-value-{added,changed,removed} : ${defaults}
ERR request-parameter-became-enum = input-narrowed
INFO request-parameter{,-property}-enum-value-added = input-widened
ERR request-parameter{,-property}-enum-value-removed = input-narrowed
INFO request-parameter-{max,exclusive-max,max-length,max-items}-increased = input-widened
ERR request-parameter-{max,exclusive-max,max-length,max-items}-decreased = input-narrowed
ERR request-parameter-{max,exclusive-max,max-length}-set = input-narrowed
ERR request-parameter-{min,exclusive-min,min-length,min-items}-increased = input-narrowed
INFO request-parameter-{min,exclusive-min,min-length,min-items}-decreased = input-widened
ERR request-parameter-{min,exclusive-min,min-items}-set = input-narrowed
ERR request-parameter-pattern-added = input-narrowed
INFO request-parameter-pattern-removed = input-widened
WARN request-parameter-pattern-changed = input-pattern-changed
INFO request-parameter-pattern-generalized : ${generalized}
ERR request-parameter-type-changed = input-type-changed
INFO request-parameter-type-generalized = input-widened
WARN request-parameter-property-type-changed : an object in a parameter has one form, so that another type is known to break
INFO request-parameter-property-type-generalized = input-widened
ERR request-parameter-property-type-specialized = input-narrowed
INFO request-parameter{,-property}-list-of-types-widened = input-widened
ERR request-parameter{,-property}-list-of-types-narrowed = input-narrowed

ERR new-required-request-property{,-with-default} = input-required
INFO new-optional-request-property = input-added
WARN request-property-removed = input-removed
ERR request-property-became-required{,-with-default} = input-required
INFO request-property-became-optional = input-optional
INFO request-{body,property}-became-nullable = input-nullable
ERR request-{body,property}-became-not-nullable = input-not-nullable
ERR request-{body,property}-became-enum = input-narrowed
INFO request-property-enum-value-added = input-widened
ERR request-{body,property}-enum-value-removed = input-narrowed
INFO request-read-only-property-enum-value-removed : ${notSent}
ERR request-{body,property}-const-{added,changed} = input-narrowed
INFO request-{body,property}-const-removed = input-widened
INFO request-{body,property}-default-value-{added,changed,removed} : ${defaults}
ERR request-{body,property}-{max,exclusive-max,max-length,max-items,max-properties}-{decreased,set} = input-narrowed
INFO request-{body,property}-{max,exclusive-max,max-length,max-items,max-properties}-increased = input-widened
INFO request-read-only-property-{max,exclusive-max,max-length,max-items,max-properties}-decreased : ${notSent}
ERR request-{body,property}-{min,exclusive-min,min-length,min-items,min-properties}-increased = input-narrowed
INFO request-{body,property}-{min,exclusive-min,min-length}-decreased = input-widened
INFO request-read-only-property-{min,exclusive-min}-increased : ${notSent}
ERR request-{body,property}-{min,exclusive-min,min-items}-set = input-narrowed
ERR request-{body,property}-unique-items-set = input-narrowed
INFO request-{body,property}-unique-items-unset = input-widened
ERR request-{body,property}-multiple-of-{set,changed} = input-narrowed
INFO request-{body,property}-multiple-of-unset = input-widened
INFO request-{body,property}-multiple-of-generalized : steps are not divided: another one is input-narrowed
ERR request-property-pattern-added = input-narrowed
INFO request-property-pattern-removed = input-widened
WARN request-property-pattern-changed = input-pattern-changed
INFO request-property-pattern-generalized : ${generalized}
ERR request-{body,property}-type-changed = input-type-changed
INFO request-{body,property}-type-{generalized,compatible} = input-widened
INFO request-{body,property}-list-of-types-widened = input-widened
ERR request-{body,property}-list-of-types-narrowed = input-narrowed
INFO request-{body,property}-{any-of,one-of}-added = input-widened
ERR request-{body,property}-{any-of,one-of}-removed = input-narrowed
ERR request-body-wrapped-in-one-of : ${alternatives}
ERR request-{body,property}-all-of-added : ${noKeyword}
INFO request-{body,property}-all-of-removed : ${noKeyword}
INFO request-{body,property}-all-of-{added,removed}-annotation-only : ${noKeyword}
INFO request-{optional,required}-property-became-{not-write-only,write-only,read-only,not-read-only} : ${requestFlips}
INFO request-{body,property}-discriminator-{added,removed,property-name-changed} : ${alternatives}
INFO request-{body,property}-discriminator-mapping-{added,deleted,changed} : ${alternatives}
INFO request-{body,property}-prefix-items-added : ${noKeyword}
ERR request-{body,property}-prefix-items-removed : ${noKeyword}
ERR request-{body,property}-{if,then,else,contains,dependent-schema,pattern-property,unevaluated-items,unevaluated-properties,content-schema}-added : ${noKeyword}
INFO request-{body,property}-{if,then,else,contains,dependent-schema,pattern-property,unevaluated-items,unevaluated-properties,content-schema}-removed : ${noKeyword}
ERR request-{body,property}-min-contains-increased : ${noKeyword}
INFO request-{body,property}-min-contains-decreased : ${noKeyword}
INFO request-{body,property}-max-contains-increased : ${noKeyword}
ERR request-{body,property}-max-contains-decreased : ${noKeyword}
ERR request-{body,property}-dependent-required-{added,changed} : ${noKeyword}
INFO request-{body,property}-dependent-required-removed : ${noKeyword}
ERR request-{body,property}-property-names-added = input-narrowed
INFO request-{body,property}-property-names-removed = input-widened
ERR request-{body,property}-content-{media-type,encoding}-changed = input-narrowed

ERR response-success-status-removed = status-removed
INFO response-success-status-added : a client that knows one status of success may take another one for an error: careful
INFO response-non-success-status-removed = error-removed
INFO response-non-success-status-added : a request that was accepted may be refused: careful
ERR response-media-type-removed = answer-media-type-removed
INFO response-media-type-added = answer-media-type-added
INFO response-media-type-name-{changed,specialized} : ${media}
ERR response-media-type-name-generalized = answer-media-type-removed
ERR response-header-became-optional = answer-header-optional
ERR required-response-header-removed = answer-header-removed
WARN optional-response-header-removed = answer-header-changed
INFO response-header-added = answer-header-added
ERR response-header-type-{changed,generalized} = answer-type-changed
INFO response-header-type-{specialized,compatible} = answer-narrowed
ERR response-header-became-nullable = answer-nullable
INFO response-header-became-not-nullable = answer-not-nullable

ERR response-required-property-removed = answer-field-removed
INFO response-optional-property-removed : a client may read a field that is not always there: breaking
INFO response-{required,optional}-property-added = answer-field-added
INFO response-{required,optional}-write-only-property-{added,removed} : ${writeOnly}
ERR response-property-became-optional = answer-field-optional
INFO response-property-became-required = answer-field-always
INFO response-write-only-property-became-{optional,required} : ${writeOnly}
ERR response-{body,property}-became-nullable = answer-nullable
INFO response-{body,property}-became-not-nullable = answer-not-nullable
WARN response-property-enum-value-added = answer-widened
INFO response-write-only-property-enum-value-added : ${writeOnly}
INFO response-{property,mediatype}-enum-value-removed = answer-narrowed
INFO response-{body,property}-const-added = answer-narrowed
ERR response-{body,property}-const-{removed,changed} : a constant is a list of one value, and one more value is careful
INFO response-{body,property}-default-value-{added,changed,removed} : answers have their values, whatever the default is
ERR response-{body,property}-{max,exclusive-max,max-length,max-items,max-properties}-increased : ${longer}
ERR response-{body,property}-max-length-unset : ${longer}
ERR response-{body,property}-{min,exclusive-min,min-length,min-items,min-properties}-decreased : ${longer}
ERR response-{body,property}-min-items-unset : ${longer}
ERR response-{body,property}-{unique-items,multiple-of}-unset : ${longer}
ERR response-{body,property}-multiple-of-changed : ${longer}
INFO response-{body,property}-multiple-of-specialized : steps are not divided: another one is answer-widened
INFO response-property-pattern-added = answer-narrowed
WARN response-property-pattern-changed = answer-widened
ERR response-property-pattern-removed : ${longer}
ERR response-{body,property}-type-{changed,generalized} = answer-type-changed
INFO response-{body,property}-type-{specialized,compatible} = answer-narrowed
ERR response-{body,property}-list-of-types-widened = answer-type-changed
INFO response-{body,property}-list-of-types-narrowed = answer-narrowed
ERR response-{body,property}-{any-of,one-of}-added = answer-type-changed
INFO response-{body,property}-{any-of,one-of}-removed = answer-narrowed
ERR response-body-wrapped-in-one-of : ${alternatives}
INFO response-{body,property}-all-of-added : ${noKeyword}
ERR response-{body,property}-all-of-removed : ${noKeyword}
INFO response-{body,property}-all-of-{added,removed}-annotation-only : ${noKeyword}
INFO response-optional-property-became-{not-write-only,write-only,read-only,not-read-only} : ${answerFlips}
WARN response-required-property-became-not-write-only : ${answerFlips}
INFO response-required-property-became-{write-only,read-only,not-read-only} : ${answerFlips}
INFO response-{body,property}-discriminator-{added,removed,property-name-changed} : ${alternatives}
INFO response-{body,property}-discriminator-mapping-{added,deleted,changed} : ${alternatives}
ERR response-{body,property}-prefix-items-added = answer-type-changed
INFO response-{body,property}-prefix-items-removed : a client that reads the member fails: breaking
INFO response-{body,property}-{if,then,else,contains,dependent-schema,pattern-property,unevaluated-items,unevaluated-properties,content-schema}-added : ${noKeyword}
ERR response-{body,property}-{if,then,else,contains,dependent-schema,pattern-property,unevaluated-items,unevaluated-properties,content-schema}-removed : ${noKeyword}
INFO response-{body,property}-min-contains-increased : ${noKeyword}
ERR response-{body,property}-min-contains-decreased : ${noKeyword}
ERR response-{body,property}-max-contains-increased : ${noKeyword}
INFO response-{body,property}-max-contains-decreased : ${noKeyword}
INFO response-{body,property}-dependent-required-added : ${noKeyword}
ERR response-{body,property}-dependent-required-{removed,changed} : ${noKeyword}
INFO response-{body,property}-property-names-added = answer-narrowed
ERR response-{body,property}-property-names-removed : ${longer}
ERR response-{body,property}-content-{media-type,encoding}-changed : ${longer}
`;
