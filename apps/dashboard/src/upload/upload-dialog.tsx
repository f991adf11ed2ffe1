import type { CreditBody, LanguageList } from '@currawong/contracts';
import { useState } from 'react';
import { installation } from '../api/installation';
import { useMode } from '../api/mode';
import { useApi } from '../api/use-api';
import { fileSize } from '../format/size';
import { Button } from '../ui/button';
import { Check } from '../ui/check';
import { Dialog } from '../ui/dialog';
import { SelectField, TextAreaField } from '../ui/field';
import { plainlyWrong } from './check-file';
import type { UploadOptions } from './queue';
import './upload.css';

interface Props {
  /** Null: closed. */
  files: readonly File[] | null;
  onClose: () => void;
  onSubmit: (files: readonly File[], options: UploadOptions) => void;
}

/** Asks how the chosen recordings are to be transcribed; the last answers are offered again. */
export function UploadDialog({ files, onClose, onSubmit }: Props) {
  const mode = useMode();
  const { maxFileBytes } = installation();
  const isOpen = files !== null;
  const known = useApi<LanguageList>('/languages', { enabled: isOpen }).data;
  const credit = useApi<CreditBody>('/credit', { enabled: isOpen && mode === 'live' }).data;
  const languages = known?.languages ?? [ENGLISH];
  const [chosen, setLanguage] = useState('en');
  const codes = [...languages.map(({ code }) => code), ...(known?.auto ? [DETECTED] : [])];
  const language = codes.includes(chosen) ? chosen : codes[0]!;
  const [analysis, setAnalysis] = useState(false);
  const [speakers, setSpeakers] = useState('');
  const [prompt, setPrompt] = useState('');
  const usable = files?.filter((file) => plainlyWrong(file, maxFileBytes) === undefined).length ?? 0;
  return (
    <Dialog
      open={isOpen}
      title={usable === 1 ? 'Transcribe a recording' : `Transcribe ${usable} recordings`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="main"
            disabled={usable === 0}
            onClick={() => onSubmit(files ?? [], { language, speakers, analysis, prompt, mode })}
          >
            {mode === 'test' ? 'Transcribe as a test' : 'Transcribe'}
          </Button>
        </>
      }
    >
      <ul className="upload-chosen" role="list" aria-label="Chosen files" tabIndex={0}>
        {files?.map((file, index) => {
          const wrong = plainlyWrong(file, maxFileBytes);
          return (
            <li key={index}>
              <span>{file.name}</span>
              <span className="number soft small">{fileSize(file.size)}</span>
              {wrong && <p className="field-error">{wrong}</p>}
            </li>
          );
        })}
      </ul>
      <div className="upload-options">
        <SelectField
          label="Language spoken"
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value)}
        >
          {known?.auto && <option value={DETECTED}>Find out</option>}
          {languages.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Speakers"
          value={speakers}
          onChange={(event) => setSpeakers(event.currentTarget.value)}
        >
          <option value="">One or two, not sure</option>
          {Array.from({ length: 10 }, (_, index) => index + 1).map((count) => (
            <option key={count} value={count}>
              {count === 1 ? 'Exactly 1' : `Exactly ${count}`}
            </option>
          ))}
        </SelectField>
      </div>
      <TextAreaField
        label="Names and terms"
        optional
        hint="Words that will be said and are easily misheard, with commas between them."
        value={prompt}
        maxLength={2_000}
        placeholder="Wiradjuri, Justice Nguyen, tachycardia"
        onChange={(event) => setPrompt(event.currentTarget.value)}
      />
      <Check checked={analysis} onChange={(event) => setAnalysis(event.currentTarget.checked)}>
        Tone and sentiment as well
        {mode === 'live' && <small className="soft upload-price">{priceOf(credit)}</small>}
      </Check>
    </Dialog>
  );
}

const DETECTED = 'auto';
/** Until it is known what else there is. */
const ENGLISH = { code: 'en', name: 'English' };

/** `AUD 0.03 a minute instead of 0.02` */
function priceOf(credit: CreditBody | undefined): string {
  const price = credit?.price_per_minute_with_analysis_aud;
  return credit && price ? `AUD ${price} a minute instead of ${credit.price_per_minute_aud}` : '';
}
