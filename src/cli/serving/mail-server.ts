/** The operator's mail server, from options, or from the environment, where passwords are safer. */
import { createMailer, type Mailer } from "../../engine/outbound/mailer.ts";
import type { Model } from "../../model/model.ts";
import { CliError } from "../command.ts";
import type { Terminal } from "../terminal.ts";

export interface MailFlags {
  readonly smtp?: string | undefined;
  readonly "mail-from"?: string | undefined;
}

/** Undefined if no mail server is configured, or the document sends no email. */
export function openMailer(model: Model, flags: MailFlags, { environment }: Terminal): Mailer | undefined {
  if (model.events.notifications.length === 0) return undefined;
  const server = flags.smtp ?? environment["NINEFOLD_SMTP"];
  const from = flags["mail-from"] ?? environment["NINEFOLD_MAIL_FROM"];
  if (!server && !from) return undefined;
  if (!server)
    throw new CliError("A sender of email is set, but no mail server. Write --smtp, or set NINEFOLD_SMTP.");
  if (!from)
    throw new CliError(
      "A mail server is set, but no sender. Write --mail-from desk@example.com, or set NINEFOLD_MAIL_FROM.",
    );
  try {
    return createMailer({ server, from });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The address may contain a password, so the message doesn't repeat it.
    throw new CliError(`Email can't be sent: ${error.message}.`);
  }
}
