"""What findings say of shipped behaviour, asked of the scheduler that ships it."""
