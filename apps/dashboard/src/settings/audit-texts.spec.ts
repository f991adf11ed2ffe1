import { actionText, actorText } from './audit-texts';

describe('the log in words', () => {
  it('says known actions as people do', () => {
    expect(actionText('password_reset_requested')).toBe('New password asked for');
  });

  it('still says an action that is newer than the page', () => {
    expect(actionText('voice_of_bird_heard')).toBe('Voice of bird heard');
  });

  it('calls the holder you', () => {
    expect(actorText('holder')).toBe('You');
  });
});
