import type { SignInOptions } from '@currawong/contracts';
import { apiUrl } from '../api/client';
import { ButtonAnchor } from '../ui/button';

/** The way in through an identity provider, where the installation has one. */
export function ProviderButton({ options }: { options: SignInOptions | undefined }) {
  if (!options?.identity_provider) return null;
  return (
    <div className="form">
      <p className="form-or">or</p>
      <ButtonAnchor href={apiUrl('/oidc/start')}>Continue with {options.identity_provider}</ButtonAnchor>
    </div>
  );
}
