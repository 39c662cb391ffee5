/**
 * Reserved names in generated modules: JavaScript's reserved words, and the names that the client's
 * modules use themselves.
 */

export const reservedWords: readonly string[] = [
  ..."arguments await break case catch class const continue debugger default delete do else enum eval export extends".split(
    " ",
  ),
  ..."false finally for function if implements import in instanceof interface let new null package private".split(
    " ",
  ),
  ..."protected public return static super switch this throw true try typeof undefined var void while with yield".split(
    " ",
  ),
  ...["runtime", "errors", "Types"],
];

export const reservedNames: readonly string[] = [
  ...reservedWords,
  ...["connect", "verifyWebhook", "Client", "ApiError", "DeadEnd", "NotGenuine", "WaitedInVain"],
  ...["CallOptions", "ConnectOptions", "List", "StreamEvent", "WaitOptions", "VerifyOptions", "WebhookEvent"],
];
