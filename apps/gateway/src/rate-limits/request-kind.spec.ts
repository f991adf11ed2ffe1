import type { IncomingMessage } from 'node:http';
import { isCounted, isTranscribe } from './request-kind';

const request = (method: string, url: string) => ({ method, url }) as IncomingMessage;

it.each([
  '/api/v1/transcribe',
  '/v1/transcribe',
  '/v1/transcribe/',
  '/V1/Transcribe?x=1',
  'http://api.example.com/v1/transcribe',
])('POST %s is a transcription', (url) => {
  expect(isTranscribe(request('POST', url))).toBe(true);
  expect(isTranscribe(request('GET', url))).toBe(false);
});

it.each([
  '/transcribe',
  '/v1/transcribe/x',
  '/v2/transcribe',
  '/x/v1/transcribe',
  '/v1/jobs?a=/v1/transcribe',
])('POST %s is none', (url) => {
  expect(isTranscribe(request('POST', url))).toBe(false);
});

it.each([
  '/',
  '/?from=mail',
  '/health',
  '/health/live',
  '/api/v1/health',
  '/v1/health/',
  '/docs',
  '/dashboard',
  '/dashboard/assets/a.js',
])('%s is free for anyone', (url) => {
  expect(isCounted(request('GET', url))).toBe(false);
});

it.each([
  '/api/v1/usage',
  '/api/v1/healthy',
  '/queue/status',
  '/nothing',
  '/docsx',
  '/api/v1/openapi.json',
  '*',
])('%s counts for whoever sends a key', (url) => {
  expect(isCounted(request('GET', url))).toBe(true);
});
