import './styles/tokens.css';
import './styles/base.css';
import './ui/table.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { newQueryClient } from './api/use-api';
import { App } from './app';
import { SessionProvider } from './session/session';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={newQueryClient()}>
      <SessionProvider>
        <App />
      </SessionProvider>
    </QueryClientProvider>
  </StrictMode>,
);
