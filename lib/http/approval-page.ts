/**
 * The page behind a person's link: what is asked, and two buttons. It runs nothing and loads nothing; whatever comes
 * from a definition is escaped.
 */
export interface ApprovalAbout {
  readonly workflow_type: string;
  readonly step: string;
  readonly expires_at: string;
}

/** Nothing but the form itself, sent to where it came from. */
export const PAGE_POLICY = "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

export function approvalPage({ workflow_type, step, expires_at }: ApprovalAbout): string {
  return page(
    `<h1>${escaped(step)}</h1>
<p>A job of workflow ${escaped(workflow_type)} waits for your decision until ${escaped(expires_at)}.</p>
<form method="post">
<p><label>Your name <input name="by" required maxlength="200"></label></p>
<p><label>Comment <input name="comment" maxlength="500"></label></p>
<p><button name="decision" value="approved">Approve</button> <button name="decision" value="declined">Decline</button></p>
</form>`,
  );
}

export function decidedPage(): string {
  return page('<h1>Thank you</h1><p>Your decision was taken down. You can close this page.</p>');
}

function page(body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Approval</title></head>
<body>${body}</body></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
