import { ERRORS, type ErrorCode } from '@currawong/contracts';

/** Why an upload is not taken. `client_gone` has nobody left to be told. */
export type UploadRefusalCode = Extract<
  ErrorCode,
  | 'file_missing'
  | 'file_empty'
  | 'file_type_unsupported'
  | 'file_too_large'
  | 'too_many_files'
  | 'invalid_parameter'
  | 'body_unreadable'
  | 'client_gone'
  | 'too_slow'
>;

export interface UploadRefusal {
  code: UploadRefusalCode;
  /** A sentence for the client that names the field and what is allowed. */
  detail: string;
}

/** Carries a refusal through streams, which know errors only. Never leaves this folder. */
export class Refused extends Error {
  readonly refusal: UploadRefusal;

  /** @param detail the registry's text unless there is something more exact to say */
  constructor(code: UploadRefusalCode, detail: string = ERRORS[code].text) {
    super(detail);
    this.refusal = { code, detail };
  }
}
